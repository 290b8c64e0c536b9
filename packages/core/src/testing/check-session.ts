import type { EntryId, PathItem } from "@espalier/protocol";
import { LiveCut } from "../compaction/live-cut.ts";
import { prepareCompaction } from "../compaction/prepare-compaction.ts";
import { buildContext, type SessionContext } from "../context/build-context.ts";
import { contextUse } from "../context/estimate-tokens.ts";
import { GrowingContext } from "../context/growing-context.ts";
import type { ModelMessage } from "../context/model-message.ts";
import { guardRequest } from "../context/request-guard.ts";
import { contextIds } from "../context/select-context.ts";
import { toModelMessages } from "../context/to-model-messages.ts";
import { bareEntry, tokensOfWords } from "../group/bare-entry.ts";
import { batchSpans, cutPlaces, landingOf } from "../group/can-cut.ts";
import { joinPath, PathItems } from "../group/join-groups.ts";
import { resultEntries } from "../group/tool-group.ts";
import type { AnyEntry } from "../session/known-entry.ts";
import { leafAtOpen } from "../session/leaf.ts";
import { type ParsedSession, parseJsonl } from "../session/parse-jsonl.ts";
import { leaves, pathToLeaf } from "../session/path-to-leaf.ts";
import { serializeEntry, serializeHeader } from "../session/serialize.ts";
import { SessionTree } from "../session/session-tree.ts";
import type { AnySession } from "./arbitraries.ts";

const claim = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(`broken invariant: ${what}`);
};

const same = (a: unknown, b: unknown, what: string): void => {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  if (left !== right) throw new Error(`broken invariant: ${what}\n${left}\n${right}`);
};

/** The bytes of a session's file. */
export const bytesOf = ({ header, entries }: AnySession): Uint8Array =>
  new TextEncoder().encode(serializeHeader(header) + entries.map(serializeEntry).join(""));

/** What holds for rows however damaged the file: one row an id, every parent there, every walk ends. */
export const checkRows = (session: Pick<ParsedSession, "rows" | "spans">): SessionTree => {
  const tree = new SessionTree(session.rows);
  for (const row of session.rows) {
    claim(row.parentId === null || tree.has(row.parentId), `the parent of ${row.id} is a row`);
    claim(session.spans.has(row.id), `${row.id} has a place in the file`);
  }
  for (const leaf of leaves(tree)) {
    const [root] = pathToLeaf(tree, leaf);
    claim(root !== undefined && tree.get(root)?.parentId === null, `the path to ${leaf} begins at a root`);
  }
  return tree;
};

/** No cut, and no landing of a branch, parts a call from its result. */
const checkCuts = (items: readonly PathItem[], path: readonly EntryId[]): void => {
  const spans = batchSpans(items, path);
  for (const place of cutPlaces(items, path)) {
    const at = path.indexOf(place.entryId);
    const split = spans.find(({ first, last }) => first < at && at <= last);
    claim(split === undefined, `the cut before ${place.entryId} splits no batch`);
  }
  for (const id of path) {
    const { target } = landingOf(items, path, id);
    const at = target === null ? -1 : path.indexOf(target);
    const split = spans.find(({ first, last, open }) =>
      open ? first <= at && at <= last : first <= at && at < last,
    );
    claim(split === undefined, `a branch from ${id} splits no batch`);
  }
};

/** Every entry is in exactly one item, whatever order things came in. */
const checkItems = (entries: readonly AnyEntry[]): void => {
  const items = joinPath(entries);
  const step = new PathItems();
  for (const entry of entries) step.append(entry);
  same(step.items, items, "joining one by one gives the same as joining at once");
  const half = PathItems.resume(joinPath(entries.slice(0, entries.length / 2)));
  for (const entry of entries.slice(Math.floor(entries.length / 2))) half.append(entry);
  same(half.items, items, "going on from items gives the same");
  const held = items.flatMap((item) => [
    item.id,
    ...(item.kind === "step" ? item.groups.flatMap(resultEntries) : []),
  ]);
  same([...held].sort(), entries.map(({ id }) => id).sort(), "every entry of the path is in one item");
  checkCuts(
    items,
    entries.map(({ id }) => id),
  );
};

const texts = (message: ModelMessage): string[] =>
  typeof message.content === "string"
    ? [message.content]
    : message.content.flatMap((block) => (block.type === "text" ? [block.text] : []));

/** What every provider asks of a request. */
export const checkRequest = (messages: readonly ModelMessage[]): void => {
  const seen = new Set<string>();
  let owed: string[] = [];
  for (const message of messages) {
    if (message.role === "toolResult") {
      claim(
        owed.shift() === message.toolCallId,
        `the result ${message.toolCallId} comes in the order of its calls`,
      );
    } else {
      claim(owed.length === 0, "no message stands between a call and its result");
    }
    claim(message.content.length > 0, "no message is empty");
    for (const text of texts(message))
      claim(text.trim() !== "" && text.isWellFormed(), "no text is empty or broken");
    if (message.role !== "assistant") continue;
    owed = message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
    for (const id of owed) {
      claim(/^[a-zA-Z0-9_-]{1,40}$/.test(id) && !seen.has(id), `the id ${id} fits and is used once`);
      seen.add(id);
    }
  }
  claim(owed.length === 0, "every call is answered");
  claim(messages[0]?.role !== "assistant", "a request does not begin with the model");
};

const TARGET = { provider: "p", api: "anthropic-messages", model: "m", input: ["text" as const] };

/** A context that grows entry by entry is the one that is built of the whole path, and bare entries count like whole ones. */
const checkGrowing = (entries: readonly AnyEntry[]): void => {
  const growing = new GrowingContext();
  const bare = new GrowingContext();
  for (const [at, entry] of entries.entries()) {
    growing.append(entry);
    bare.append(bareEntry(entry), tokensOfWords(entry));
    if (at % 5 !== 4 && at !== entries.length - 1) continue;
    const built = buildContext(entries.slice(0, at + 1));
    same(contextShape(growing.context), contextShape(built), "a growing context is the one built at once");
    same(growing.use(1000), contextUse(built, 1000), "a growing context counts like the one built at once");
    same(bare.use(1000), growing.use(1000), "bare entries count like whole ones");
  }
};

/** Where a growing path would be cut is where preparing a compaction of the whole path cuts it. */
const checkLiveCut = (entries: readonly AnyEntry[]): void => {
  const live = new LiveCut();
  const bare = new LiveCut();
  for (const [at, entry] of entries.entries()) {
    live.append(entry);
    bare.append(bareEntry(entry), tokensOfWords(entry));
    for (const keepRecentTokens of at % 4 === 3 || at === entries.length - 1 ? [1, 12, 40, 2000] : []) {
      const plan = prepareCompaction(entries.slice(0, at + 1), { keepRecentTokens, time: 0 });
      const { firstKeptEntryId, turnStartEntryId } = "nothing" in plan ? NO_CUT : plan;
      const planned = firstKeptEntryId === null ? null : { firstKeptEntryId, turnStartEntryId };
      same(live.find(keepRecentTokens), planned, "the live cut is the one that is prepared");
      same(bare.find(keepRecentTokens), planned, "bare entries are cut like whole ones");
    }
  }
};

const NO_CUT = { firstKeptEntryId: null, turnStartEntryId: null };

/** A context with its maps as lists, so that they are compared. */
const contextShape = (context: SessionContext) => ({
  ...context,
  system: { ...context.system, sections: [...context.system.sections], tools: [...context.system.tools] },
});

/** What is sent for a path is a request that a provider takes, and guarding it again changes nothing. */
export const checkContext = (entries: readonly AnyEntry[]): void => {
  checkGrowing(entries);
  checkLiveCut(entries);
  const guarded = guardRequest(toModelMessages(buildContext(entries).messages), TARGET);
  checkRequest(guarded.messages);
  same(
    guardRequest(guarded.messages, TARGET),
    { messages: guarded.messages, changes: [] },
    "guarding twice is guarding once",
  );
};

/**
 * All invariants of a session in one place: reading gives back what was written, and on every path groups, cuts and requests are
 * whole. Throws an Error that names what does not hold.
 */
export const checkSession = (session: AnySession): void => {
  const parsed = parseJsonl(bytesOf(session));
  if (parsed === null) throw new Error("broken invariant: what we write is a session");
  same(parsed.damage, [], "what we write is not damaged");
  same(parsed.header, session.header, "the header is read as it was written");
  same(
    parsed.rows.map(({ id }) => parsed.read(id)),
    session.entries,
    "entries are read as they were written",
  );
  const tree = checkRows(parsed);
  const byId = new Map(session.entries.map((entry) => [entry.id, entry]));
  for (const leaf of new Set([...leaves(tree), leafAtOpen(tree)])) {
    const path = pathToLeaf(tree, leaf).flatMap((id) => byId.get(id) ?? []);
    checkItems(path);
    const {
      entryIds: _,
      measuredAt: __,
      ...fewer
    } = contextShape(buildContext(contextIds(tree, leaf).flatMap((id) => byId.get(id) ?? [])));
    same(
      { ...contextShape(buildContext(path)), ...fewer },
      contextShape(buildContext(path)),
      "a context needs no more entries than it names",
    );
    checkContext(path);
  }
};
