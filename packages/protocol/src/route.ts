import { type Static, Type } from "@sinclair/typebox";
import { Damage, Entry, Row, SessionHeader, UnknownEntry } from "./entry.ts";
import { Approval, PartialBlock, QueueItem, RunInfo, ToolProgress } from "./event.ts";
import { EntryIdSchema, SessionIdSchema } from "./id.ts";
import { PathItem } from "./item.ts";
import { ThinkingLevel } from "./message.ts";
import { ModelInfo, ModelRef } from "./model.ts";
import { Problem } from "./problem.ts";

const place = Type.Union([EntryIdSchema, Type.Null()]);

/** Times are ISO strings. `root` says whose folder the file lies in. */
export const SessionInfo = Type.Object({
  id: SessionIdSchema,
  path: Type.String(),
  root: Type.Union([Type.Literal("espalier"), Type.Literal("pi")]),
  cwd: Type.String(),
  name: Type.Optional(Type.String()),
  firstMessage: Type.String(),
  created: Type.String(),
  modified: Type.String(),
  messageCount: Type.Number(),
  /** Path of the session this one was forked from, as its header names it. */
  parent: Type.Optional(Type.String()),
  /** Known once the file was read whole: entries, ends of branches, tokens of all answers, cost in US dollars, last model. */
  totals: Type.Optional(
    Type.Object({
      entries: Type.Number(),
      branches: Type.Number(),
      tokens: Type.Number(),
      cost: Type.Number(),
      damaged: Type.Number(),
      model: Type.Optional(Type.String()),
    }),
  ),
  /** Why the file cannot be read; what else is said of it comes from its name or from earlier. */
  problem: Type.Optional(Type.String()),
});
export type SessionInfo = Static<typeof SessionInfo>;

/** GET /api/sessions */
export const SessionList = Type.Object({ sessions: Type.Array(SessionInfo) });
export type SessionList = Static<typeof SessionList>;
/** POST /api/sessions */
export const NewSession = Type.Object({ cwd: Type.Optional(Type.String()) });
export type NewSession = Static<typeof NewSession>;
export const NewSessionAnswer = Type.Object({ id: SessionIdSchema });
export type NewSessionAnswer = Static<typeof NewSessionAnswer>;

/** One place where a search matched. `parts` is an excerpt; parts with `hit` are what was searched for. */
export const SearchHit = Type.Object({
  session: SessionIdSchema,
  entryId: EntryIdSchema,
  type: Type.String(),
  role: Type.Optional(Type.String()),
  time: Type.Number(),
  parts: Type.Array(Type.Object({ text: Type.String(), hit: Type.Boolean() })),
});
export type SearchHit = Static<typeof SearchHit>;
/** GET /api/search?q=&limit=&session=. `complete` is false while sessions are still being read into the index. */
export const SearchAnswer = Type.Object({ hits: Type.Array(SearchHit), complete: Type.Boolean() });
export type SearchAnswer = Static<typeof SearchAnswer>;

/** DELETE /api/sessions/:id: the file lies in the trash of the data dir now; POST /api/trash/:ticket/restore brings it back. */
export const TrashAnswer = Type.Object({ ticket: Type.String() });
export type TrashAnswer = Static<typeof TrashAnswer>;

/** GET /api/trash: a deleted session. `time`: when it was deleted, ISO; `path`: where it goes back to. */
export const TrashedSession = Type.Object({
  ticket: Type.String(),
  id: SessionIdSchema,
  path: Type.String(),
  root: SessionInfo.properties.root,
  name: Type.String(),
  time: Type.String(),
});
export type TrashedSession = Static<typeof TrashedSession>;
export const TrashList = Type.Object({ sessions: Type.Array(TrashedSession) });
export type TrashList = Static<typeof TrashList>;

/** Part of a path: `keys` are the ids of all its items root first, `items` those from index `from` on. */
export const PathWindow = Type.Object({
  leafId: place,
  keys: Type.Array(EntryIdSchema),
  from: Type.Number(),
  items: Type.Array(PathItem),
});
export type PathWindow = Static<typeof PathWindow>;

/** What a window of the model holds on the session's leaf, in tokens, by pi's estimate. */
export const ContextUse = Type.Object({
  tokens: Type.Number(),
  window: Type.Number(),
  system: Type.Number(),
  summary: Type.Number(),
  user: Type.Number(),
  assistant: Type.Number(),
  toolResults: Type.Number(),
});
export type ContextUse = Static<typeof ContextUse>;

/** GET /api/sessions/:id, everything a page needs to show a session and follow it from `seq`/`rev` on; with `limit=0` no rows. */
export const Snapshot = Type.Object({
  id: SessionIdSchema,
  epoch: Type.String(),
  seq: Type.Number(),
  rev: Type.Number(),
  path: Type.String(),
  root: SessionInfo.properties.root,
  header: SessionHeader,
  /** Version 1 and 2 files are read only: the first write makes a copy. A file not on disk yet has no entries. */
  stored: Type.Boolean(),
  rows: Type.Array(Row),
  leafId: place,
  keys: Type.Array(EntryIdSchema),
  from: Type.Number(),
  items: Type.Array(PathItem),
  /** The run at the leaf, if any; `runs` holds all open ones. */
  run: Type.Union([RunInfo, Type.Null()]),
  runs: Type.Array(RunInfo),
  partials: Type.Record(Type.String(), Type.Array(PartialBlock)),
  tools: Type.Array(ToolProgress),
  approvals: Type.Array(Approval),
  queue: Type.Array(QueueItem),
  damage: Type.Array(Damage),
  model: Type.Union([ModelRef, Type.Null()]),
  thinkingLevel: ThinkingLevel,
  context: ContextUse,
  /** The folder tools work in. `missing`: it is gone and nobody has chosen another yet. */
  folder: Type.Object({ cwd: Type.String(), missing: Type.Boolean() }),
});
export type Snapshot = Static<typeof Snapshot>;

/** GET /api/sessions/:id/entries/:entryId: the whole entry. */
export const EntryBody = Type.Object({ entry: Type.Union([Entry, UnknownEntry]) });
export type EntryBody = Static<typeof EntryBody>;

/** A replacement in a text whose rest is not known. */
export const FileHunk = Type.Object({ before: Type.String(), after: Type.String() });
export type FileHunk = Static<typeof FileHunk>;

/**
 * What a branch's write and edit calls made of a file. `text` is the whole of it where the branch wrote it, else null; `hunks` are
 * replacements in what is not known. `omitted`: characters of both that were too many to be sent.
 */
export const FileChange = Type.Object({
  path: Type.String(),
  text: Type.Union([Type.String(), Type.Null()]),
  hunks: Type.Array(FileHunk),
  writes: Type.Number(),
  edits: Type.Number(),
  omitted: Type.Optional(Type.Number()),
});
export type FileChange = Static<typeof FileChange>;

/** A branch's own share of a comparison: only entries that the other one does not hold. Times in epoch ms, `cost` in US dollars. */
export const BranchReport = Type.Object({
  end: EntryIdSchema,
  /** Index of the first of its items on the path to `end`, and how many there are. */
  first: Type.Number(),
  items: Type.Number(),
  /** Which of its items begin a turn, counted from `first`. */
  turnStarts: Type.Array(Type.Number()),
  entries: Type.Number(),
  turns: Type.Number(),
  calls: Type.Number(),
  failed: Type.Number(),
  /** Calls without a result. */
  open: Type.Number(),
  /** What its entries take up, by pi's estimate. */
  tokens: Type.Number(),
  cost: Type.Number(),
  started: Type.Number(),
  ended: Type.Number(),
  /** Time at work: pauses of more than ten minutes between entries are left out. */
  ms: Type.Number(),
  /** Why its last answer ended. */
  stop: Type.Union([Type.String(), Type.Null()]),
  /** The last command that tests, builds or checks, as far as its words tell, and how it ended. */
  check: Type.Union([
    Type.Object({
      entryId: EntryIdSchema,
      command: Type.String(),
      failed: Type.Boolean(),
      says: Type.String(),
    }),
    Type.Null(),
  ]),
  files: Type.Array(FileChange),
  /** The first of `commandCount` shell commands that may have changed files besides. */
  commands: Type.Array(Type.Object({ entryId: EntryIdSchema, command: Type.String() })),
  commandCount: Type.Number(),
  /** Branch summaries that stand on it, or that tell of it elsewhere. */
  summaries: Type.Array(Type.Object({ entryId: EntryIdSchema, fromId: Type.String(), text: Type.String() })),
});
export type BranchReport = Static<typeof BranchReport>;

/** GET /api/sessions/:id/compare?a=&b=. `fork`: the last entry both share; `last`: the last answer of each. */
export const Comparison = Type.Object({
  fork: place,
  a: BranchReport,
  b: BranchReport,
  last: Type.Object({
    a: Type.Union([PathItem, Type.Null()]),
    b: Type.Union([PathItem, Type.Null()]),
  }),
});
export type Comparison = Static<typeof Comparison>;

/** POST /api/subscribe: the sessions a stream wants events of (without `stream`: all streams). */
export const Subscribe = Type.Object({
  sessions: Type.Array(Type.String(), { maxItems: 200 }),
  stream: Type.Optional(Type.String()),
});
export type Subscribe = Static<typeof Subscribe>;

/** GET /api/models. `problems`: what was wrong with models.json. */
export const ModelList = Type.Object({
  models: Type.Array(ModelInfo),
  default: Type.Union([ModelRef, Type.Null()]),
  problems: Type.Array(Problem),
});
export type ModelList = Static<typeof ModelList>;

/** `<data-dir>/settings.json`; all fields have defaults. */
export const Settings = Type.Object({
  defaultModel: Type.Optional(Type.String()),
  thinkingLevel: Type.Optional(ThinkingLevel),
  steeringMode: Type.Optional(Type.Union([Type.Literal("one-at-a-time"), Type.Literal("all")])),
  followUpMode: Type.Optional(Type.Union([Type.Literal("one-at-a-time"), Type.Literal("all")])),
  compaction: Type.Optional(
    Type.Object({
      enabled: Type.Optional(Type.Boolean()),
      reserveTokens: Type.Optional(Type.Integer({ minimum: 0 })),
      keepRecentTokens: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
  ),
  /** When entries are made to survive a power cut: after every turn, before every request and tool call, or one by one. */
  durability: Type.Optional(Type.Union([Type.Literal("turn"), Type.Literal("step"), Type.Literal("entry")])),
  retry: Type.Optional(
    Type.Object({
      enabled: Type.Optional(Type.Boolean()),
      maxRetries: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
      baseDelayMs: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
  ),
});
export type Settings = Static<typeof Settings>;

/** GET /api/files?q=: paths relative to the workspace, best first. */
export const FileList = Type.Object({
  files: Type.Array(Type.Object({ path: Type.String(), dir: Type.Boolean() })),
});
export type FileList = Static<typeof FileList>;

/** GET /api/workspace: what the first screen says about this machine. */
export const WorkspaceInfo = Type.Object({
  cwd: Type.String(),
  home: Type.String(),
  dataDir: Type.String(),
  piDir: Type.String(),
  piSessions: Type.Number(),
  newestPiSession: Type.Optional(Type.String()),
  gitBranch: Type.Optional(Type.String()),
  contextFiles: Type.Array(Type.String()),
  version: Type.String(),
  sandboxed: Type.Boolean(),
});
export type WorkspaceInfo = Static<typeof WorkspaceInfo>;

/** PUT /api/providers/:id/key: stored on the server, 0600; answered masked. */
export const ProviderKey = Type.Object({ key: Type.String({ minLength: 1, maxLength: 4096 }) });
export type ProviderKey = Static<typeof ProviderKey>;
export const ProviderKeyAnswer = Type.Object({ masked: Type.String(), storedIn: Type.String() });
export type ProviderKeyAnswer = Static<typeof ProviderKeyAnswer>;

/** POST /api/import: the bytes of a session file, as text. */
export const ImportBody = Type.Object({ name: Type.String({ maxLength: 400 }), text: Type.String() });
export type ImportBody = Static<typeof ImportBody>;

/** POST /api/key: the one-time code of the printed link; POST /api/key/renew has no body. */
export const KeyExchange = Type.Object({ key: Type.String() });
export type KeyExchange = Static<typeof KeyExchange>;
export const KeyAnswer = Type.Object({ token: Type.String() });
export type KeyAnswer = Static<typeof KeyAnswer>;

export const ErrorAnswer = Type.Object({ error: Problem });
export type ErrorAnswer = Static<typeof ErrorAnswer>;
