import { SessionTree } from "@espalier/core";
import { type EntryId, entryId, type Row } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { fittingGrain, foldedOf } from "./folded.ts";
import { runName } from "./run-name.ts";
import { countEndings, endingOf, factsOfRun, sumsOf } from "./run-sums.ts";
import { endOf, labelsOf, titleOf } from "./run-words.ts";

const row = (id: string, parent: string | null, role: string, more: Partial<Row> = {}): Row => ({
  id: entryId(id),
  parentId: parent === null ? null : entryId(parent),
  type: "message",
  role,
  time: 1_000,
  tokens: 10,
  ...more,
});

const aside = (id: string, parent: string, more: Partial<Row>): Row => ({
  id: entryId(id),
  parentId: entryId(parent),
  type: "custom",
  time: 0,
  tokens: 0,
  flags: ["aside"],
  ...more,
});

const tree = () =>
  new SessionTree([
    row("u1", null, "user", { line: "prune the pears" }),
    row("a1", "u1", "assistant", { cost: 0.25, files: ["/work/pear.ts"], time: 2_000, flags: ["calls"] }),
    row("t1", "a1", "toolResult", { flags: ["error"] }),
    row("a2", "t1", "assistant", { line: "done", cost: 0.5, files: ["/work/pear.ts", "b.ts"], time: 3_000 }),
    row("u2", "a1", "user", { line: "another way" }),
    row("a3", "u2", "assistant", { line: "cd /work && ls", flags: ["aborted"] }),
    aside("o1", "a2", { name: "espalier.outcome", target: "a2", outcome: "worked" }),
    aside("l1", "o1", { type: "label", target: "a2", name: "pruned" }),
  ]);

const folded = (from: SessionTree) =>
  foldedOf({
    tree: from,
    version: from.version,
    grain: "turns",
    filter: "default",
    leafId: entryId("a2"),
  });

describe("what map and outline tell of runs", () => {
  it("is folded once for both", () => {
    const from = tree();
    expect(folded(from)).toBe(folded(from));
    expect(fittingGrain(from)).toBe("turns");
    from.append(row("a4", "a2", "assistant"));
    expect(folded(from).fold.runOf.length).toBe(7);
  });

  it("sums, names and ends every run", () => {
    const from = tree();
    const all = folded(from);
    const runOf = (id: string): number => all.fold.runOf[all.drawn.nodeOf.get(id as EntryId) ?? -1] ?? -1;
    expect(factsOfRun(all, runOf("a2"))).toMatchObject({ entries: 2, failed: 1, tokens: 20, cost: 0.5 });
    expect(factsOfRun(all, runOf("a2")).files).toEqual(["/work/pear.ts", "b.ts"]);
    expect(sumsOf(all).cost[runOf("a1")]).toBe(0.25);
    expect(titleOf(all, runOf("u1"))).toBe("prune the pears");
    expect(runName(all, runOf("u2"), true, ["/work"])).toBe("another way");
    expect(labelsOf(all).get(runOf("a2"))).toBe("pruned");
    expect(endOf(all, runOf("u2"))).toBe("a3");
    expect(endingOf(all, runOf("a2"))).toBe("ok");
    expect(endingOf(all, runOf("a3"))).toBe("failed");
    expect(countEndings(all)).toEqual({ ok: 1, failed: 1, abandoned: 0, open: 0 });
  });
});
