import { toolCallId } from "@espalier/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../testing/data-folder.ts";
import { NetChange, pairFiles } from "./net-change.ts";

const call = (name: string, args: Record<string, unknown>) =>
  ({ type: "toolCall", id: toolCallId("c"), name, arguments: args }) as const;
const write = (content: string, path = "a.ts") => call("write", { path, content });
const edit = (oldText: string, newText: string, path = "a.ts") => call("edit", { path, oldText, newText });

const net = (...calls: ReturnType<typeof call>[]) => {
  const change = new NetChange();
  for (const each of calls) change.add(each);
  return change.files;
};

describe("NetChange", () => {
  it("a write gives the whole text, edits after it change that", () => {
    expect(net(write("one two"), edit("two", "$& three"))).toEqual([
      { path: "a.ts", text: "one $& three", hunks: [], writes: 1, edits: 1 },
    ]);
  });

  it("a later write replaces all that is known", () => {
    expect(net(edit("a", "b"), write("new"))).toMatchObject([
      { text: "new", hunks: [], writes: 1, edits: 1 },
    ]);
  });

  it("edits of a text that is not known keep what they replace by what", () => {
    expect(net(edit("a", "b"), edit("x", "y"))).toMatchObject([
      {
        text: null,
        hunks: [
          { before: "a", after: "b" },
          { before: "x", after: "y" },
        ],
      },
    ]);
  });

  it("an edit inside what an earlier one wrote changes that one; one around it takes it in", () => {
    expect(net(edit("old()", "first(1)"), edit("1", "2"))[0]?.hunks).toEqual([
      { before: "old()", after: "first(2)" },
    ]);
    expect(net(edit("b", "c"), edit("a c d", "z"))[0]?.hunks).toEqual([{ before: "a b d", after: "z" }]);
    expect(net(edit("b", "B"), edit("d", "D"), edit("a B c D e", "z"))[0]?.hunks).toEqual([
      { before: "a b c d e", after: "z" },
    ]);
  });

  it("what was taken back is no change, but the file stays named", () => {
    expect(net(edit("a", "b"), edit("b", "a"))).toMatchObject([{ path: "a.ts", hunks: [], edits: 2 }]);
  });

  it("reads a list of edits, and passes over what is malformed", () => {
    const edits = [{ oldText: "a", newText: "b" }, { oldText: 1 }, null];
    expect(net(call("edit", { path: "a.ts", edits }))[0]?.hunks).toEqual([{ before: "a", after: "b" }]);
    expect(
      net(call("edit", { path: "a.ts" }), call("write", { path: 7 }), call("read", { path: "a.ts" })),
    ).toEqual([]);
  });

  it("an edit that does not stand in the known text is told beside it", () => {
    expect(net(write("one"), edit("two", "three"))).toMatchObject([
      { text: "one", hunks: [{ before: "two", after: "three" }] },
    ]);
  });

  it("a write and edits come to the same as applying them", () => {
    const part = fc.string({ unit: fc.constantFrom("a", "b", "\n", "$"), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(part, fc.array(fc.tuple(fc.nat(9), fc.nat(3), part)), (start, steps) => {
        const change = new NetChange();
        change.add(write(start));
        let text = start;
        for (const [from, size, after] of steps) {
          const before = text.slice(from % text.length, (from % text.length) + size);
          if (before === "" || before === after || text.length + after.length - before.length === 0) continue;
          const at = text.indexOf(before);
          text = text.slice(0, at) + after + text.slice(at + before.length);
          change.add(edit(before, after));
        }
        expect(change.files).toMatchObject([{ text, hunks: [] }]);
      }),
      { numRuns: runs(100) },
    );
  });

  it("edits of unique places of an unknown text, put back into it, give what it became", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(30), fc.integer({ min: 1, max: 6 })), { maxLength: 8 }),
        (steps) => {
          // Every character stands once, so that every piece of the text has one place only.
          let next = 0x4e00;
          const fresh = (size: number) =>
            Array.from({ length: size }, () => String.fromCharCode(next++)).join("");
          const first = fresh(30);
          let text = first;
          const change = new NetChange();
          for (const [from, size] of steps) {
            const before = text.slice(from % text.length, (from % text.length) + size);
            const after = fresh(size);
            text = text.replace(before, () => after);
            change.add(edit(before, after));
          }
          const again = (change.files[0]?.hunks ?? []).reduce((now, hunk) => {
            expect(now).toContain(hunk.before);
            return now.replace(hunk.before, () => hunk.after);
          }, first);
          expect(again).toBe(text);
        },
      ),
      { numRuns: runs(100) },
    );
  });
});

describe("pairFiles", () => {
  it("puts files of both first and says where they are the same", () => {
    const a = net(write("1", "only-a"), write("1", "both"), edit("x", "y", "alike"));
    const b = net(edit("x", "y", "alike"), write("2", "both"), write("1", "only-b"));
    expect(pairFiles(a, b).map(({ path, same, ...sides }) => [path, same, !!sides.a, !!sides.b])).toEqual([
      ["both", false, true, true],
      ["alike", true, true, true],
      ["only-a", false, true, false],
      ["only-b", false, false, true],
    ]);
  });
});
