import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  buildContext,
  contextPath,
  contextUse,
  joinPath,
  pathToLeaf,
  type StoredSession,
} from "@espalier/core";
import { type AnySession, anySession } from "@espalier/core/testing";
import { type EntryId, sessionId } from "@espalier/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../testing/data-folder.ts";
import { JsonlStore } from "../storage/jsonl-store.ts";
import { EventLog } from "./event-log.ts";
import { LocalState } from "./local-state.ts";
import { PathReader } from "./path-reader.ts";
import { SessionJournal } from "./session-journal.ts";
import { wireItem } from "./wire-entry.ts";

/** What a reader that has seen nothing yet says of the path to a leaf. */
const fresh = async (stored: StoredSession, leaf: EntryId) => {
  const { tree } = stored;
  const path = await stored.read(pathToLeaf(tree, leaf).filter((id) => !tree.isAside(id)));
  const context = buildContext(await stored.read(contextPath(tree, leaf)));
  return { items: joinPath(path).map(wireItem), use: contextUse(context, 0), model: context.model };
};

type Step = readonly [how: "ours" | "theirs" | "look", pick: number];

const work = async (
  { header, entries }: AnySession,
  start: number,
  steps: readonly Step[],
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "espalier-paths-"));
  const folders = { sessions: join(folder, "sessions"), piSessions: join(folder, "pi") };
  const store = new JsonlStore(folders);
  const theirs = await store.create(header, entries.slice(0, start));
  const stored = await store.open(sessionId(header.id));
  const local = new LocalState(folder);
  const journal = await SessionJournal.open(stored, {
    store,
    log: new EventLog(),
    local,
    now: Date.now,
    durability: () => "step",
  });
  try {
    const reader = new PathReader(journal);
    const look = async (pick: number): Promise<void> => {
      const { rows } = journal.state.tree;
      const leaf = rows[pick % Math.max(1, rows.length)]?.id;
      if (leaf === undefined || journal.state.tree.isAside(leaf)) return;
      const { items, use, model } = await fresh(stored, leaf);
      const known = await reader.known(leaf);
      expect({ use: known.use, model: known.model }).toEqual({ use, model });
      const window = await reader.window(leaf, 0, items.length);
      expect(window.keys).toEqual(items.map(({ id }) => id));
      const plain = window.items.map((item) => JSON.parse(JSON.stringify(item, withoutPointer)));
      expect(plain).toEqual(items.map((item) => JSON.parse(JSON.stringify(item))));
    };
    let next = start;
    for (const [how, pick] of steps) {
      const more = entries.slice(next, next + (pick % 3) + 1);
      if (how !== "look") {
        await (how === "ours" ? stored : theirs).append(more);
        next += more.length;
        await journal.refresh();
      }
      await look(pick);
      await look(journal.state.tree.size - 1);
    }
    while ((await stored.fill()).length > 0);
    const again = await store.open(sessionId(header.id));
    while ((await again.fill()).length > 0);
    expect(again.tree.rows).toEqual(stored.tree.rows);
    await again.close();
  } finally {
    await journal.close();
    await theirs.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Pointers to other branches are for the eye and come on top. */
const withoutPointer = (key: string, value: unknown): unknown => (key === "elsewhere" ? undefined : value);

describe("paths that are kept up to date", () => {
  it("are what reading everything anew says, whoever appended what", { timeout: 120_000 }, async () => {
    const step = fc.tuple(fc.constantFrom("ours" as const, "theirs" as const, "look" as const), fc.nat(1000));
    await fc.assert(
      fc.asyncProperty(
        anySession(60).filter(({ entries }) => entries.length > 0),
        fc.integer({ min: 1, max: 30 }),
        fc.array(step, { minLength: 1, maxLength: 20 }),
        work,
      ),
      { numRuns: runs(40) },
    );
  });
});
