import { entryId } from "@espalier/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../testing/data-folder.ts";
import { prepareCompaction } from "../compaction/prepare-compaction.ts";
import { buildContext } from "../context/build-context.ts";
import { batchSpans } from "../group/can-cut.ts";
import { joinPath } from "../group/join-groups.ts";
import { makeEntry } from "../session/append-entry.ts";
import { parseJsonl, SessionParser } from "../session/parse-jsonl.ts";
import { leafThrough, leaves, pathToLeaf } from "../session/path-to-leaf.ts";
import { repairJsonl } from "../session/repair-jsonl.ts";
import { serializeEntry } from "../session/serialize.ts";
import { SessionTree } from "../session/session-tree.ts";
import { anyDamage, anySession } from "./arbitraries.ts";
import { bytesOf, checkContext, checkRows, checkSession } from "./check-session.ts";

const parse = (bytes: Uint8Array) => parseJsonl(bytes) ?? expect.fail("not a session");

describe("any session", () => {
  it("keeps every invariant", () => {
    fc.assert(fc.property(anySession(), checkSession), { numRuns: runs(300) });
  });

  it("is read alike in chunks of any size", () => {
    fc.assert(
      fc.property(
        anySession(),
        fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 1 }),
        (session, sizes) => {
          const bytes = bytesOf(session);
          const parser = new SessionParser();
          for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            parser.push(bytes.slice(at, at + size));
            at += size;
          }
          expect({ ...parser.finish(), read: expect.any(Function) }).toEqual(parse(bytes));
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it("grows without changing an earlier byte, row or line", () => {
    fc.assert(
      fc.property(anySession(), anySession(3), (session, more) => {
        const before = bytesOf(session);
        const last = session.entries.at(-1)?.id ?? null;
        const added = more.entries.map(({ id: _id, parentId: _parent, timestamp: _time, ...draft }, at) =>
          makeEntry(draft, { id: entryId(`new${at}`), parentId: last, time: 0 }),
        );
        const after = new TextEncoder().encode(
          new TextDecoder().decode(before) + added.map(serializeEntry).join(""),
        );
        expect(after.subarray(0, before.length)).toEqual(before);
        expect(parse(after).rows.slice(0, session.entries.length)).toEqual(parse(before).rows);
      }),
      { numRuns: runs(100) },
    );
  });

  it("shows each node on a path that leads through it", () => {
    fc.assert(
      fc.property(anySession(), (session) => {
        const tree = new SessionTree(parse(bytesOf(session)).rows);
        const ends = new Set(leaves(tree));
        for (const { id } of tree.rows) {
          const leaf = leafThrough(tree, id, null);
          expect(pathToLeaf(tree, leaf)).toContain(id);
          if (!tree.isAside(id)) expect(ends).toContain(leaf);
          expect(leafThrough(tree, id, leaf)).toBe(leaf);
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it("is compacted without parting a call from its result", () => {
    fc.assert(
      fc.property(anySession(), fc.nat(60), (session, keepRecentTokens) => {
        const parsed = parse(bytesOf(session));
        const tree = new SessionTree(parsed.rows);
        for (const leaf of leaves(tree)) {
          const ids = pathToLeaf(tree, leaf);
          const path = ids.flatMap((id) => parsed.read(id) ?? []);
          const plan = prepareCompaction(path, { keepRecentTokens, time: 0 });
          if ("nothing" in plan) continue;
          const cut = ids.indexOf(plan.firstKeptEntryId);
          for (const { first, last } of batchSpans(joinPath(path), ids))
            expect(first < cut && cut <= last).toBe(false);
          const draft = {
            type: "compaction",
            summary: "s",
            firstKeptEntryId: plan.firstKeptEntryId,
            tokensBefore: 0,
          } as const;
          const compacted = [...path, makeEntry(draft, { id: entryId("k"), parentId: leaf, time: 0 })];
          checkContext(compacted);
          expect(
            buildContext(compacted).messages.filter(({ message }) => message.role !== "compactionSummary"),
          ).toEqual(plan.kept);
        }
      }),
      { numRuns: runs(200) },
    );
  });
});

describe("any damage", () => {
  it("is survived: nothing throws, every walk ends, untouched lines are found", () => {
    fc.assert(
      fc.property(anySession(15), anyDamage, (session, damage) => {
        const bytes = damage(bytesOf(session));
        const parsed = parseJsonl(bytes);
        if (parsed === null) return;
        checkRows(parsed);
        const shown = new Set(parsed.rows.map(({ id }) => JSON.stringify(parsed.read(id))));
        const kept = new Set(new TextDecoder().decode(bytes).split("\n"));
        for (const entry of session.entries) {
          const line = JSON.stringify(entry);
          // A second header or a copy of an entry changes which id a line is shown under.
          if (
            kept.has(line) &&
            parsed.version === 3 &&
            !parsed.damage.some(({ kind }) => kind === "duplicate_id")
          ) {
            expect(shown.has(line)).toBe(true);
          }
        }
        for (const { id } of parsed.rows) expect(parsed.read(id)?.id).toBe(id);
      }),
      { numRuns: runs(400) },
    );
  });

  it("is repaired in a copy that is sound", () => {
    fc.assert(
      fc.property(anySession(15), anyDamage, (session, damage) => {
        const repaired = repairJsonl(damage(bytesOf(session)));
        if (repaired === null) return;
        const copy = parse(new TextEncoder().encode(repaired.text));
        expect(copy.damage).toEqual([]);
        expect(copy.readOnly).toBeNull();
      }),
      { numRuns: runs(300) },
    );
  });

  it("of any kind of bytes is no reason to throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const parsed = parseJsonl(bytes);
        if (parsed !== null) checkRows(parsed);
        repairJsonl(bytes);
      }),
      { numRuns: runs(300) },
    );
  });
});
