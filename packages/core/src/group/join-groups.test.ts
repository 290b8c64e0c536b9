import type { Entry, EntryId, PathItem, ToolGroup } from "@espalier/protocol";
import { entryId, toolCallId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import {
  assistant,
  call,
  chain,
  compaction,
  contextEdit,
  entry,
  result,
  user,
} from "../testing/make-entries.ts";
import { batchSpans, cutBefore, cutPlaces, landingOf } from "./can-cut.ts";
import { CallIndex, pointElsewhere } from "./elsewhere.ts";
import { joinPath, PathItems } from "./join-groups.ts";

const idsOf = (entries: readonly Entry[]): EntryId[] => entries.map(({ id }) => id);

/** A path in one line: `a1(t1=r1 t2=?)`, `r(!t1)`. */
const sketch = (items: readonly PathItem[]): string => {
  const group = (it: ToolGroup): string => {
    switch (it.kind) {
      case "complete":
        return `${it.toolCallId}=${it.result.entryId}`;
      case "missing_results":
        return `${it.toolCallId}=?${it.elsewhere ?? ""}`;
      case "orphaned_result":
        return `!${it.toolCallId}${it.elsewhere === undefined ? "" : `<${it.elsewhere}`}`;
      case "unknown":
        return "unknown";
    }
  };
  return items
    .map((item) => {
      const edit = "edit" in item ? `/${item.edit?.id}` : "";
      if (item.kind === "step" && item.groups.length > 0)
        return `${item.id}(${item.groups.map(group).join(" ")})${edit}`;
      return item.kind === "orphan" ? `${item.id}(${group(item.group)})${edit}` : `${item.id}${edit}`;
    })
    .join(" ");
};

describe("joinPath", () => {
  it("joins results that come in any order, in source order", () => {
    const path = chain(
      (p) => user("u", p),
      (p) => assistant("a", p, { calls: ["t1", "t2", "t3"] }),
      (p) => result("r3", p, "t3"),
      (p) => result("r1", p, "t1"),
    );
    expect(sketch(joinPath(path))).toBe("u a(t1=r1 t2=? t3=r3)");
  });

  it("pairs by occurrence when messages repeat an id", () => {
    const path = chain(
      (p) => assistant("a1", p, { calls: ["X"] }),
      (p) => result("r1", p, "X", "one"),
      (p) => assistant("a2", p, { calls: ["X"] }),
      (p) => result("r2", p, "X", "two"),
      (p) => assistant("a3", p, { calls: ["Y"] }),
      (p) => result("r3", p, "Y"),
    );
    expect(sketch(joinPath(path))).toBe("a1(X=r1) a2(X=r2) a3(Y=r3)");
  });

  it("pairs ids that are numbered anew in every round", () => {
    const makers = [1, 2, 3].flatMap((round) => [
      (p: string | null) => assistant(`a${round}`, p, { calls: ["f:0", "f:1"] }),
      (p: string | null) => result(`r${round}0`, p, "f:0"),
      (p: string | null) => result(`r${round}1`, p, "f:1"),
    ]);
    expect(sketch(joinPath(chain(...makers)))).toBe(
      "a1(f:0=r10 f:1=r11) a2(f:0=r20 f:1=r21) a3(f:0=r30 f:1=r31)",
    );
  });

  it("gives one message's calls with one id their results in source order, and goes back for late ones", () => {
    const path = chain(
      (p) => assistant("a1", p, { calls: ["X"] }),
      (p) => user("u", p),
      (p) => assistant("a2", p, { calls: ["X", "X"] }),
      (p) => result("r1", p, "X"),
      (p) => result("r2", p, "X"),
      (p) => result("r3", p, "X"),
      (p) => result("r4", p, "X"),
    );
    expect(sketch(joinPath(path))).toBe("a1(X=r3) u a2(X=r1 X=r2) r4(!X)");
  });

  it("shows calls and results without a usable id or shape as unknown", () => {
    const malformed = { type: "toolCall", id: 5, name: "read", arguments: {} } as never;
    const listed = { type: "toolCall", id: "t", name: "read", arguments: [1] } as never;
    const path = chain(
      (p) => assistant("a", p, { content: [malformed, listed, call("ok"), call("")] }),
      (p) => result("r", p, "ok"),
      (p) => result("n", p, ""),
    );
    expect(sketch(joinPath(path))).toBe("a(unknown unknown ok=r unknown) n(unknown)");
  });

  it("keeps a compaction between a call and its result out of the group", () => {
    const path = chain(
      (p) => user("u1", p),
      (p) => assistant("a1", p, { calls: ["t1"] }),
      (p) => compaction("k1", p, "u1"),
      (p) => result("r1", p, "t1"),
      (p) => user("u2", p),
    );
    const items = joinPath(path);
    expect(sketch(items)).toBe("u1 a1(t1=r1) k1 u2");
    expect(cutPlaces(items, idsOf(path)).map((place) => place.entryId)).toEqual(["a1", "u2"]);
    expect(cutBefore(items, idsOf(path), 2)).toBeNull();
    expect(landingOf(items, idsOf(path), entryId("k1"))).toEqual({ target: "r1", moved: "after" });
  });

  it("marks what an edit takes out, the latest edit first", () => {
    const path = chain(
      (p) => user("u", p),
      (p) => assistant("a", p, { calls: ["t"] }),
      (p) => result("r", p, "t"),
      (p) => contextEdit("e1", p, "u"),
      (p) => contextEdit("e2", p, "r", "left out"),
      (p) => contextEdit("e3", p, "u", "back"),
      (p) => contextEdit("e4", p, "nobody"),
    );
    const items = joinPath(path);
    expect(sketch(items.slice(0, 2))).toBe("u/e3 a(t=r)");
    const step = items[1];
    expect(
      step?.kind === "step" && step.groups[0]?.kind === "complete" && step.groups[0].result.edit?.id,
    ).toBe("e2");
  });

  it("makes new objects for changed items only", () => {
    const path = PathItems.resume(joinPath([user("u", null), assistant("a", "u", { calls: ["t1", "t2"] })]));
    const before = path.items;
    expect(path.append(result("r2", "a", "t2"))).toEqual([1]);
    expect(path.items[0]).toBe(before[0]);
    expect(path.items[1]).not.toBe(before[1]);
    expect(sketch(before)).toBe("u a(t1=? t2=?)");
    expect(sketch(path.items)).toBe("u a(t1=? t2=r2)");
    expect(path.items).toBe(path.items);
    expect(path.append(contextEdit("e", "r2", "r2"))).toEqual([2, 1]);
    expect(path.indexOf(entryId("r2"))).toBe(1);
  });

  it("has a kind for every entry", () => {
    const kinds = joinPath([
      entry("m", null, { type: "model_change", provider: "p", modelId: "m" }),
      entry("n", "m", { type: "custom_message", customType: "c", content: "x", display: true }),
      entry("b", "n", { type: "branch_summary", fromId: "root", summary: "s" }),
      entry("s", "b", { type: "message", message: { role: "system", content: "", timestamp: 1 } }),
      { type: "hologram", id: entryId("h"), parentId: entryId("s") },
      { type: "message", id: entryId("o"), parentId: entryId("h"), message: { role: "oracle" } } as never,
    ]).map(({ kind }) => kind);
    expect(kinds).toEqual(["mark", "note", "branch_summary", "system", "unknown", "unknown"]);
  });
});

describe("landingOf", () => {
  const whole = chain(
    (p) => user("u", p),
    (p) => assistant("a", p, { calls: ["t1", "t2"] }),
    (p) => result("r1", p, "t1"),
    (p) => result("r2", p, "t2"),
    (p) => assistant("b", p, { text: "done" }),
  );
  it("goes past a whole batch, and stays where nothing is split", () => {
    const landing = (id: string): unknown => landingOf(joinPath(whole), idsOf(whole), entryId(id));
    expect(landing("a")).toEqual({ target: "r2", moved: "after" });
    expect(landing("r1")).toEqual({ target: "r2", moved: "after" });
    expect(landing("r2")).toEqual({ target: "r2", moved: null });
    expect(landing("b")).toEqual({ target: "b", moved: null });
    expect(landing("u")).toEqual({ target: "u", moved: null });
  });

  it("goes before a batch that is open", () => {
    const open = whole.slice(0, 3);
    for (const id of ["a", "r1"]) {
      expect(landingOf(joinPath(open), idsOf(open), entryId(id))).toEqual({ target: "u", moved: "before" });
    }
    const first = [assistant("a", null, { calls: ["t"] })];
    expect(landingOf(joinPath(first), idsOf(first), entryId("a"))).toEqual({ target: null, moved: "before" });
    expect(batchSpans(joinPath(open), idsOf(open))).toEqual([{ item: 1, first: 1, last: 2, open: true }]);
  });
});

describe("pointElsewhere", () => {
  it("points from one half of a broken group to the other, on another branch", () => {
    const u = user("u", null);
    const a = assistant("a", "u", { calls: ["t"] });
    const r = result("r", "a", "t");
    const b = entry("b", "u", { type: "branch_summary", fromId: "a", summary: "s" });
    const stray = result("x", "b", "t");
    const index = new CallIndex();
    for (const each of [u, a, r, b, stray]) index.add(each);
    const here = joinPath([u, b, stray]);
    expect(sketch(pointElsewhere(here, idsOf([u, b, stray]), index))).toBe("u b x(!t<a)");
    const cut = joinPath([u, a]);
    expect(sketch(pointElsewhere(cut, idsOf([u, a]), index))).toBe("u a(t=?x)");
    const complete = joinPath([u, a, r]);
    expect(pointElsewhere(complete, idsOf([u, a, r]), index)[1]).toBe(complete[1]);
  });
});

describe("types", () => {
  it("takes no group, item or index for a cut, and no switch that forgets a variant", () => {
    type Cut = NonNullable<ReturnType<typeof cutBefore>>;
    const take = (place: Cut): number => place.index;
    const group: ToolGroup = { kind: "unknown", entries: [] };
    // @ts-expect-error a group is no place between items
    expect(() => take(group)).not.toThrow();
    // @ts-expect-error neither is a plain object that looks like one
    expect(take({ index: 1, entryId: entryId("a") })).toBe(1);

    type Fifth = ToolGroup | { kind: "refused"; toolCallId: ReturnType<typeof toolCallId> };
    const titles: Record<ToolGroup["kind"], string> = {
      complete: "",
      missing_results: "",
      orphaned_result: "",
      unknown: "",
    };
    // @ts-expect-error a total map over the kinds must name a fifth one
    const wider: Record<Fifth["kind"], string> = titles;
    const title = (it: Fifth): string => {
      if (it.kind === "complete" || it.kind === "missing_results") return "known";
      if (it.kind === "orphaned_result" || it.kind === "unknown") return "known";
      // @ts-expect-error what is left is the fifth variant, not never
      return it satisfies never;
    };
    expect([wider, title(group)]).toEqual([titles, "known"]);
  });
});
