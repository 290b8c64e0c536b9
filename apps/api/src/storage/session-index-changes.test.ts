import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { leaves, parseJsonl, SessionTree } from "@espalier/core";
import type { SessionInfo } from "@espalier/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../testing/data-folder.ts";
import {
  byPath,
  fileOf,
  folder,
  header,
  make,
  stamp,
  user,
  withoutTotals,
  words,
} from "./session-index-rig.case.ts";

describe("after any changes of files", () => {
  type Deed =
    | { kind: "append" | "torn" | "finish" | "truncate" | "delete" | "junk"; file: number }
    | { kind: "branch" | "label" | "name"; file: number; at: number }
    | { kind: "new" | "replace"; file: number; lines: number };
  const deed = fc.oneof(
    fc.record({
      kind: fc.constantFrom("append", "append", "torn", "finish", "truncate", "delete", "junk"),
      file: fc.nat(2),
    }),
    fc.record({ kind: fc.constantFrom("branch", "branch", "label", "name"), file: fc.nat(2), at: fc.nat(9) }),
    fc.record({ kind: fc.constantFrom("new", "replace"), file: fc.nat(2), lines: fc.nat(6) }),
  ) as fc.Arbitrary<Deed>;
  let drawn = 0;

  const bodyOf = (file: number, lines: number): string => {
    let body = header(`s${file}`);
    for (let at = 0; at < lines; at += 1) {
      drawn += 1;
      body += user(`e${drawn}`, at === 0 ? null : `e${drawn - 1}`, `word${drawn}`, drawn);
    }
    return body;
  };

  const idsIn = (path: string): string[] => (parseJsonl(readFileSync(path))?.rows ?? []).map(({ id }) => id);

  const does = (one: Deed): void => {
    const path = fileOf(`f${one.file}`);
    const there = statSync(path, { throwIfNoEntry: false });
    if (one.kind === "new" || one.kind === "replace") {
      const staging = `${path}.new`;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(staging, bodyOf(one.file, one.lines));
      return renameSync(staging, path);
    }
    if (there === undefined) return;
    const ids = idsIn(path);
    const parent = "at" in one ? (ids[one.at % Math.max(1, ids.length)] ?? null) : (ids.at(-1) ?? null);
    drawn += 1;
    const line = user(`e${drawn}`, parent, `word${drawn}`, drawn);
    switch (one.kind) {
      case "append":
      case "branch":
        return appendFileSync(path, line);
      case "torn":
        return appendFileSync(path, line.slice(0, -20));
      case "finish":
        return appendFileSync(path, line.slice(0, -1));
      case "label":
        return appendFileSync(
          path,
          `${JSON.stringify({ type: "label", id: `e${drawn}`, parentId: parent, timestamp: stamp(drawn), targetId: "x", label: "l" })}\n`,
        );
      case "name":
        return appendFileSync(
          path,
          `${JSON.stringify({ type: "session_info", id: `e${drawn}`, parentId: "gone", timestamp: stamp(drawn), name: `n${drawn}` })}\n`,
        );
      case "junk":
        return appendFileSync(path, "\n[1]\n");
      case "truncate":
        // In the middle of a text: a message cut just before a value looks whole to who only looks at the ends of lines.
        return truncateSync(path, readFileSync(path).lastIndexOf("word", there.size * 0.6) + 3);
      case "delete":
        return rmSync(path);
    }
  };

  const truth = (infos: readonly SessionInfo[]) =>
    byPath(infos).map(({ path }) => {
      const parsed = parseJsonl(readFileSync(path));
      return {
        entries: parsed?.rows.length,
        branches: parsed ? leaves(new SessionTree(parsed.rows)).length : 0,
        damaged: parsed?.damage.length,
      };
    });

  it("it equals one built afresh, the store's own list, and the files", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(deed, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 }),
        async (rounds) => {
          for (const file of [0, 1, 2]) rmSync(fileOf(`f${file}`), { force: true });
          const { index, store } = make();
          let last = "";
          for (const round of rounds) {
            for (const one of round) does(one);
            expect(withoutTotals(await index.list())).toEqual(withoutTotals(await store.list()));
            last = `word${drawn}`;
          }
          await index.settled();
          const { index: fresh } = make(join(folder, "fresh.db"));
          await fresh.settled();
          const list = byPath(await index.list());
          // A path keeps the id it went by first, even where the header that named it is gone.
          expect(list.map(({ id: _id, ...info }) => info)).toEqual(
            byPath(await fresh.list()).map(({ id: _id, ...info }) => info),
          );
          expect(list.map(({ totals }) => totals)).toMatchObject(truth(list));
          for (const query of [last, "word", "l"])
            expect(await words(index, query)).toEqual(await words(fresh, query));
          await index.close();
          await fresh.close();
          for (const name of ["fresh.db", "fresh.db-wal", "fresh.db-shm"])
            rmSync(join(folder, name), { force: true });
        },
      ),
      { numRuns: runs(40) },
    );
  });
});
