import type {
  PartialBlock,
  SessionEvent,
  SessionEventOf,
  SessionEventType,
  ToolProgress,
} from "@espalier/protocol";
import { isOpen, type SessionState, toolKey } from "./session-state.ts";

/** Characters of a running call's output that are held; older ones are dropped, the count goes on. */
export const OUTPUT_TAIL = 65_536;
const NOTICES = 50;

type Apply<Tag extends SessionEventType> = (
  state: SessionState,
  event: SessionEventOf<Tag>,
) => Partial<SessionState>;

const withEntry = <Key, Value>(map: ReadonlyMap<Key, Value>, key: Key, value: Value): Map<Key, Value> =>
  new Map(map).set(key, value);

const without = <Key, Value>(map: ReadonlyMap<Key, Value>, key: Key | undefined): ReadonlyMap<Key, Value> => {
  if (key === undefined || !map.has(key)) return map;
  const copy = new Map(map);
  copy.delete(key);
  return copy;
};

const applyEntries: Apply<"entries"> = (state, event) => {
  for (const row of event.rows) if (!state.tree.has(row.id)) state.tree.append(row);
  const known = { treeVersion: state.tree.version, leafId: event.leafId };
  const run = event.run === undefined ? undefined : state.runs.get(event.run);
  if (!run) return known;
  const tip = event.rows.findLast(({ id }) => !state.tree.isAside(id))?.id ?? run.tip;
  const runs = withEntry(state.runs, run.id, { ...run, tip });
  // The streaming message is an entry now: both must never be shown at once.
  const answered = event.rows.some(({ role }) => role === "assistant");
  return answered ? { ...known, runs, partials: without(state.partials, run.id) } : { ...known, runs };
};

const applyRun: Apply<"run"> = (state, { run }) => {
  const runs = withEntry(state.runs, run.id, run);
  if (isOpen(run)) return { runs };
  return {
    runs,
    partials: without(state.partials, run.id),
    tools: new Map([...state.tools].filter(([, tool]) => tool.run !== run.id)),
    approvals: state.approvals.filter((approval) => approval.run !== run.id),
  };
};

const applyDelta: Apply<"delta"> = (state, event) => {
  const blocks = [...(state.partials.get(event.run) ?? [])];
  const known = blocks[event.index];
  const block: PartialBlock = known
    ? { ...known, text: known.text + event.text }
    : { kind: event.kind, text: event.text, ...(event.name === undefined ? {} : { name: event.name }) };
  // A block whose first delta was empty never arrived: keep the places of those behind it.
  while (blocks.length < event.index) blocks.push({ kind: "text", text: "" });
  blocks[event.index] = block;
  return { partials: withEntry(state.partials, event.run, blocks) };
};

const applyTool: Apply<"tool"> = (state, event) => {
  const key = toolKey(event.entryId, event.index);
  if (event.status === "done") return { tools: without(state.tools, key) };
  const known = state.tools.get(key);
  const tool: ToolProgress = {
    run: event.run,
    entryId: event.entryId,
    index: event.index,
    toolCallId: event.toolCallId,
    status: event.status,
    startedAt: event.at,
    output: known?.output ?? "",
    total: known?.total ?? 0,
  };
  return { tools: withEntry(state.tools, key, tool) };
};

const applyToolOutput: Apply<"tool_output"> = (state, event) => {
  const key = toolKey(event.entryId, event.index);
  const known = state.tools.get(key);
  if (!known) return {};
  const output = (known.output + event.text).slice(-OUTPUT_TAIL);
  return { tools: withEntry(state.tools, key, { ...known, output, total: event.total }) };
};

const applyNotice: Apply<"notice"> = (state, event) => {
  const notice = {
    rev: state.rev + 1,
    level: event.level,
    text: event.text,
    ...(event.code === undefined ? {} : { code: event.code }),
  };
  return { notices: [...state.notices.slice(1 - NOTICES), notice] };
};

const handlers: { readonly [Tag in SessionEventType]: Apply<Tag> } = {
  entries: applyEntries,
  rows: (state, { rows }) => {
    // The store's own tree, which the server folds over, has them already; to fill twice is harmless.
    state.tree.fill(rows);
    return { treeVersion: state.tree.version };
  },
  leaf: (_, { leafId }) => ({ leafId }),
  run: applyRun,
  delta: applyDelta,
  partial_end: (state, { run }) => ({ partials: without(state.partials, run) }),
  tool: applyTool,
  tool_output: applyToolOutput,
  approval: (state, { approval }) => ({
    approvals: [...state.approvals.filter(({ id }) => id !== approval.id), approval],
  }),
  approval_closed: (state, { id }) => ({ approvals: state.approvals.filter((known) => known.id !== id) }),
  queue: (_, { queue }) => ({ queue }),
  returned: (state, { texts }) => ({ returned: { rev: state.rev + 1, texts } }),
  notice: applyNotice,
  damage: (_, { damage }) => ({ damage }),
  guarded: (state, { changes }) =>
    applyNotice(state, {
      type: "notice",
      level: "info",
      code: "guarded",
      text: `For this request only: ${changes.join("; ")}`,
    }),
  moved: (_, { session }) => ({ movedTo: session }),
};

/**
 * Folds one event into a session's state; the same function on the server and in the page, so both show the same. The
 * caller has checked that the event is the next one (see `EventFrame.rev`).
 */
export const applyEvent = (state: SessionState, event: SessionEvent): SessionState => {
  // The map is total over the union; TypeScript cannot tie the handler to this event's own tag.
  const apply = handlers[event.type] as (state: SessionState, event: SessionEvent) => Partial<SessionState>;
  return { ...state, ...apply(state, event), rev: state.rev + 1 };
};
