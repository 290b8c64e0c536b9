import { bareEntry, joinPath, leaves, pathToLeaf, rowOf, SessionTree } from "@espalier/core";
import { anySession } from "@espalier/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../testing/data-folder.ts";
import { entriesOfItems, wholeItems } from "./whole-items.ts";

describe("a window of a path that is held bare", () => {
  it("is the same part of the whole path, once the words of its entries are read", () => {
    fc.assert(
      fc.property(anySession(), fc.nat(40), fc.nat(12), ({ entries }, from, length) => {
        const tree = new SessionTree(entries.map(rowOf));
        const byId = new Map(entries.map((entry) => [entry.id, entry]));
        for (const leaf of leaves(tree)) {
          const path = pathToLeaf(tree, leaf).flatMap((id) => byId.get(id) ?? []);
          const bare = joinPath(path.map(bareEntry));
          const shown = bare.slice(from, from + length);
          const whole = wholeItems(
            shown,
            entriesOfItems(shown).flatMap((id) => byId.get(id) ?? []),
          );
          expect(whole).toEqual(joinPath(path).slice(from, from + length));
        }
      }),
      { numRuns: runs(80) },
    );
  });
});
