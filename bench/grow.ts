import { GrowingContext, makeEntry, rowOf, SessionTree } from "@espalier/core";
import { type Entry, type EntryId, entryId } from "@espalier/protocol";
import { type Bench, line } from "./support/line.ts";
import { fastestOf } from "./support/measure.ts";

const ENTRIES = 100_000;
const APPENDS = 200;

const entryAt = (at: number): Entry => {
  const message = {
    role: "user" as const,
    content: [{ type: "text" as const, text: `words ${at}` }],
    timestamp: at,
  };
  const parentId: EntryId | null = at === 0 ? null : entryId(`e${at - 1}`);
  return makeEntry({ type: "message", message }, { id: entryId(`e${at}`), parentId, time: at });
};

/** Tree and context of a path of 100,000 entries, asked for again after every append. The floor only makes the entries. */
export const bench: Bench = async () => {
  const tree = new SessionTree();
  const context = new GrowingContext();
  let next = 0;
  let seen = 0;
  const grow = (): void => {
    const entry = entryAt(next);
    tree.append(rowOf(entry));
    context.append(entry);
    next += 1;
  };
  while (next < ENTRIES) grow();
  const floor = (): void => {
    for (let at = 0; at < APPENDS; at += 1) seen += rowOf(entryAt(next + at)).tokens;
  };
  const again = await fastestOf(
    5,
    () => {
      for (let at = 0; at < APPENDS; at += 1) {
        grow();
        seen += context.context.messages.length + context.tokens;
      }
    },
    floor,
  );
  const trees = await fastestOf(
    5,
    () => {
      for (let at = 0; at < APPENDS; at += 1) {
        grow();
        const last = entryId(`e${next - 1}`);
        seen += tree.branches(last).length + tree.size + (tree.get(last)?.tokens ?? 0);
      }
    },
    floor,
  );
  if (seen === 0) throw new Error("nothing was read");
  const each = (whole: number): number => whole / APPENDS;
  return [
    line("context-after-append", each(again.ours), "ms", 5 * APPENDS, each(again.floor)),
    line("tree-again", each(trees.ours), "ms", 5 * APPENDS, each(trees.floor)),
  ];
};
