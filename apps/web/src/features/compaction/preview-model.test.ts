import { joinPath, pathToLeaf, prepareCompaction, rowOf, SessionTree } from "@espalier/core";
import { anySession, assistant, call, chain, result, user } from "@espalier/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../../testing/data-folder.ts";
import { previewOf } from "./preview-model.ts";

const words = (tokens: number): string => "word".repeat(tokens);

describe("what a compaction would do", () => {
  it("is shown with every place where it could cut, none of them inside a batch", () => {
    const entries = chain(
      (p) => user("u1", p, words(100)),
      (p) => assistant("a1", p, { content: [call("c1"), call("c2")] }),
      (p) => result("r1", p, "c1", words(50)),
      (p) => result("r2", p, "c2", words(50)),
      (p) => assistant("a2", p, { text: words(10) }),
      (p) => user("u2", p, words(100)),
      (p) => assistant("a3", p, { text: words(10) }),
    );
    const tree = new SessionTree(entries.map(rowOf));
    const path = entries.map(({ id }) => id);
    const { cuts, proposed } = previewOf(joinPath(entries), path, tree, 105);
    expect(cuts.map(({ firstKept }) => firstKept)).toEqual(["a1", "a2", "u2", "a3"]);
    expect(cuts[proposed]?.firstKept).toBe("u2");
    expect(cuts[0]).toMatchObject({ summarised: 100 });
    for (const { summarised, kept } of cuts)
      expect(summarised + kept).toBe((cuts[0]?.summarised ?? 0) + (cuts[0]?.kept ?? 0));
  });

  it("proposes what the server would do, on any path", () => {
    fc.assert(
      fc.property(anySession(), fc.nat(80), ({ entries }, keepRecentTokens) => {
        const tree = new SessionTree(entries.map(rowOf));
        const leaf = entries.at(-1)?.id;
        if (
          leaf === undefined ||
          entries.some(({ type }) => type === "compaction" || type === "context_edit")
        )
          return;
        const ids = pathToLeaf(tree, leaf);
        const byId = new Map(entries.map((entry) => [entry.id, entry]));
        const path = ids.flatMap((id) => byId.get(id) ?? []);
        const { cuts, proposed } = previewOf(joinPath(path), ids, tree, keepRecentTokens);
        const plan = prepareCompaction(path, { keepRecentTokens, time: 0 });
        if ("nothing" in plan) return;
        const kept = cuts[proposed]?.firstKept;
        // Marks before the cut go along: both name the same place among what is said.
        const same =
          kept === plan.firstKeptEntryId || plan.kept[0]?.entryId === kept || proposed === cuts.length - 1;
        expect(same).toBe(true);
      }),
      { numRuns: runs(80) },
    );
  });
});
