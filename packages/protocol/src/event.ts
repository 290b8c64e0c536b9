import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Damage, Entry, Row, UnknownEntry } from "./entry.ts";
import { EntryIdSchema, RunIdSchema, SessionIdSchema, ToolCallIdSchema } from "./id.ts";
import { ModelRef } from "./model.ts";
import { Problem } from "./problem.ts";
import { ToolEffect } from "./tool-spec.ts";

/** Raised when the meaning of an event or route changes; a page of another version says "reload". */
export const PROTOCOL_VERSION = 1;

const place = Type.Union([EntryIdSchema, Type.Null()]);

/** One prompt being worked on. Every run commits under its own `tip`. Times in epoch ms. */
export const RunInfo = Type.Object({
  id: RunIdSchema,
  status: Type.Union([
    Type.Literal("running"),
    /** Waits for a person to answer an approval. */
    Type.Literal("waiting"),
    /** Waits until `retryAt` before it asks the model again; with a `problem`, before it tries again to write to the disk. */
    Type.Literal("retrying"),
    Type.Literal("stopping"),
    Type.Literal("done"),
    Type.Literal("aborted"),
    Type.Literal("failed"),
  ]),
  tip: place,
  /** What else than a turn the run does at its tip: it writes a summary. */
  work: Type.Optional(Type.Union([Type.Literal("compaction"), Type.Literal("branch_summary")])),
  model: ModelRef,
  step: Type.Number(),
  startedAt: Type.Number(),
  endedAt: Type.Optional(Type.Number()),
  retryAt: Type.Optional(Type.Number()),
  attempt: Type.Optional(Type.Number()),
  problem: Type.Optional(Problem),
});
export type RunInfo = Static<typeof RunInfo>;

export const QueueItem = Type.Object({
  id: Type.String(),
  run: RunIdSchema,
  kind: Type.Union([Type.Literal("steer"), Type.Literal("follow_up")]),
  text: Type.String(),
  images: Type.Number(),
});
export type QueueItem = Static<typeof QueueItem>;

/** A call that waits for a person. `hash` binds the answer to exactly these arguments. */
export const Approval = Type.Object({
  id: Type.String(),
  run: RunIdSchema,
  entryId: EntryIdSchema,
  index: Type.Number(),
  toolName: Type.String(),
  effect: ToolEffect,
  /** The command, path or other subject in one line. */
  subject: Type.String(),
  arguments: Type.Record(Type.String(), Type.Unknown()),
  hash: Type.String(),
});
export type Approval = Static<typeof Approval>;

/** A block of the message that is being streamed; ephemeral, never stored. */
export const PartialBlock = Type.Object({
  kind: Type.Union([Type.Literal("text"), Type.Literal("thinking"), Type.Literal("toolCall")]),
  /** Text so far; of a tool call its raw arguments. */
  text: Type.String(),
  name: Type.Optional(Type.String()),
});
export type PartialBlock = Static<typeof PartialBlock>;

/** A call that is running: its output so far (a tail, `total` characters in all). */
export const ToolProgress = Type.Object({
  run: RunIdSchema,
  entryId: EntryIdSchema,
  index: Type.Number(),
  toolCallId: ToolCallIdSchema,
  status: Type.Union([Type.Literal("waiting"), Type.Literal("running"), Type.Literal("done")]),
  startedAt: Type.Number(),
  output: Type.String(),
  total: Type.Number(),
});
export type ToolProgress = Static<typeof ToolProgress>;

const event = <Tag extends string, Fields extends Record<string, TSchema>>(type: Tag, fields: Fields) =>
  Type.Object({ type: Type.Literal(type), ...fields });

/** What can happen to one session. `core/state/apply-event` folds it, on the server and in the page. */
export const SessionEvent = Type.Union([
  /** Entries that are on disk now, in file order, with their rows; bodies may be elided. */
  event("entries", {
    rows: Type.Array(Row),
    entries: Type.Array(Type.Union([Entry, UnknownEntry])),
    leafId: place,
    run: Type.Optional(RunIdSchema),
    /** "foreign": written by another program. */
    source: Type.Union([Type.Literal("run"), Type.Literal("command"), Type.Literal("foreign")]),
  }),
  /** Rows that held only what the tree needs until now (see `StoredSession.fill`), whole. */
  event("rows", { rows: Type.Array(Row) }),
  event("leaf", { leafId: place }),
  event("run", { run: RunInfo }),
  /** Appends to block `index` of the run's streaming message, making it if new. */
  event("delta", {
    run: RunIdSchema,
    index: Type.Number(),
    kind: PartialBlock.properties.kind,
    text: Type.String(),
    name: Type.Optional(Type.String()),
  }),
  /** The streaming message was dropped (a retry, or it is an entry now). */
  event("partial_end", { run: RunIdSchema }),
  event("tool", {
    run: RunIdSchema,
    entryId: EntryIdSchema,
    index: Type.Number(),
    toolCallId: ToolCallIdSchema,
    status: ToolProgress.properties.status,
    at: Type.Number(),
  }),
  event("tool_output", {
    run: RunIdSchema,
    entryId: EntryIdSchema,
    index: Type.Number(),
    text: Type.String(),
    total: Type.Number(),
  }),
  event("approval", { approval: Approval }),
  event("approval_closed", { id: Type.String() }),
  event("queue", { queue: Type.Array(QueueItem) }),
  /** Texts that waited for a run which was stopped or failed: they go back to the composer. */
  event("returned", { texts: Type.Array(Type.String()) }),
  event("notice", {
    level: Type.Union([Type.Literal("info"), Type.Literal("warn"), Type.Literal("error")]),
    text: Type.String(),
    code: Type.Optional(Type.String()),
  }),
  event("damage", { damage: Type.Array(Damage) }),
  /** The requests guard changed something for the wire, in words; nothing of it is written. */
  event("guarded", { run: RunIdSchema, changes: Type.Array(Type.String()) }),
  /** The session goes on in another file (a version 3 copy of an older one). */
  event("moved", { session: SessionIdSchema }),
]);
export type SessionEvent = Static<typeof SessionEvent>;
export type SessionEventType = SessionEvent["type"];
export type SessionEventOf<Tag extends SessionEventType> = Extract<SessionEvent, { type: Tag }>;

/** What concerns the server as a whole. */
export const ServerEvent = Type.Union([
  /** First on every stream. `stream` names it for `/api/subscribe`. */
  event("hello", {
    protocol: Type.Number(),
    version: Type.String(),
    epoch: Type.String(),
    seq: Type.Number(),
    stream: Type.String(),
  }),
  /** What happened since Last-Event-ID is not held any more: read the snapshot again. */
  event("resync", {}),
  event("sessions_changed", {}),
]);
export type ServerEvent = Static<typeof ServerEvent>;

/**
 * One SSE frame's data; its id is `<epoch>.<seq>`. `rev` counts the events of one session without gaps: a client applies
 * an event iff rev is its last + 1, drops older ones, and reads the snapshot again on a gap.
 */
export const EventFrame = Type.Object({
  seq: Type.Number(),
  session: Type.Union([SessionIdSchema, Type.Null()]),
  rev: Type.Number(),
  event: Type.Union([SessionEvent, ServerEvent]),
});
export type EventFrame = Static<typeof EventFrame>;
