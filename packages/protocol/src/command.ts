import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { ImageContent } from "./content.ts";
import { Entry, Outcome, UnknownEntry } from "./entry.ts";
import { CommandIdSchema, EntryIdSchema, RunIdSchema } from "./id.ts";
import { ThinkingLevel } from "./message.ts";
import { ModelRef } from "./model.ts";

const text = Type.String({ maxLength: 1_000_000 });
const images = Type.Optional(Type.Array(ImageContent, { maxItems: 32 }));
const lines = Type.Array(Type.String({ maxLength: 2000 }), { maxItems: 200 });
const place = Type.Union([EntryIdSchema, Type.Null()]);

const command = <Tag extends string, Fields extends Record<string, TSchema>>(type: Tag, fields: Fields) =>
  Type.Object({ type: Type.Literal(type), commandId: Type.Optional(CommandIdSchema), ...fields });

/** Everything a client can ask of one session. A repeated `commandId` is done once and answered alike. */
export const Command = Type.Union([
  /** A new turn. `at` moves the leaf there first (null: a new root); without it the session's leaf holds. */
  command("prompt", {
    text,
    images,
    model: Type.Optional(Type.Union([ModelRef, Type.String()])),
    at: Type.Optional(place),
  }),
  /** Into the running turn after the current batch; `run` defaults to the run at the session's leaf. */
  command("steer", { text, images, run: Type.Optional(RunIdSchema) }),
  /** After the running turn has ended. */
  command("follow_up", { text, images, run: Type.Optional(RunIdSchema) }),
  command("abort", { run: Type.Optional(RunIdSchema) }),
  /** Goes on after an error or abort without a new prompt. */
  command("continue", {}),
  /**
   * Go here: moves the leaf; the next message hangs under `target` (null: a new root). With `summary` what is left on the branch is
   * told first: a branch summary under `target` becomes the leaf. `instructions` say what it should look at.
   */
  command("navigate", {
    target: place,
    summary: Type.Optional(Type.Boolean()),
    instructions: Type.Optional(text),
  }),
  /**
   * Tells at `to` (the session's leaf without it) of the branch that ends at `from`: a summary of what it holds since the two parted,
   * or exactly the given messages or files of it. Nothing is taken away from the other branch.
   */
  command("carry_over", {
    from: EntryIdSchema,
    to: Type.Optional(EntryIdSchema),
    entries: Type.Optional(Type.Array(EntryIdSchema, { maxItems: 500 })),
    files: Type.Optional(Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 500 })),
    instructions: Type.Optional(text),
  }),
  /** A new session file with the path up to `entryId` ("at") or up to its parent ("before"). */
  command("fork", {
    entryId: EntryIdSchema,
    position: Type.Optional(Type.Union([Type.Literal("at"), Type.Literal("before")])),
    /** Folder the new session works in; the session's own without it. */
    cwd: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
  }),
  /** A new session file with the path to the leaf. */
  command("clone", {}),
  /** A new session file with all that is known of one whose file was cut, replaced or taken away. */
  command("save_copy", {}),
  /** A new session file with everything that can be read of one that is damaged; the damaged one stays as it is. */
  command("repair", {}),
  /** Takes in entries that were made elsewhere while the server was away: whole, by id, under their own parents. */
  command("merge", { entries: Type.Array(Type.Union([Entry, UnknownEntry]), { maxItems: 100_000 }) }),
  /** An empty or absent label clears. */
  command("label", { entryId: EntryIdSchema, label: Type.Optional(Type.String({ maxLength: 200 })) }),
  /** Says how the branch or run that ends at an entry ended; without `outcome` the mark is taken back. */
  command("outcome", {
    entryId: EntryIdSchema,
    outcome: Type.Optional(Outcome),
    note: Type.Optional(Type.String({ maxLength: 2000 })),
  }),
  command("rename", { name: Type.String({ maxLength: 400 }) }),
  /** Summarises the older part of the path. `firstKept` is where to cut (default: by the settings); `verbatim` lines stay word for word. */
  command("compact", {
    instructions: Type.Optional(text),
    firstKept: Type.Optional(EntryIdSchema),
    verbatim: Type.Optional(lines),
    /** Without a model: the summary is taken from the messages word for word. */
    extract: Type.Optional(Type.Boolean()),
  }),
  /**
   * A second summary of what a compaction put away: by the model, or `summary` as a person wrote it. Where entries follow the
   * compaction on the path it goes to the leaf, else beside it; the first one stays in the file.
   */
  command("resummarise", {
    entryId: EntryIdSchema,
    instructions: Type.Optional(text),
    verbatim: Type.Optional(lines),
    summary: Type.Optional(text),
  }),
  command("set_model", { model: Type.Union([ModelRef, Type.String()]) }),
  command("set_thinking", { level: ThinkingLevel }),
  /** Answers an approval. "workspace" also allows this tool in this workspace from now on. */
  command("answer", {
    approval: Type.String(),
    decision: Type.Union([Type.Literal("once"), Type.Literal("workspace"), Type.Literal("deny")]),
  }),
  command("queue_remove", { item: Type.String() }),
  command("queue_update", {
    item: Type.String(),
    text: Type.Optional(text),
    kind: Type.Optional(Type.Union([Type.Literal("steer"), Type.Literal("follow_up")])),
    /** New place in the queue, zero-based. */
    index: Type.Optional(Type.Number({ minimum: 0 })),
  }),
  /** A shell command of the user's own (`!`, or `!!` with `exclude`: not for the model). */
  command("bash", { command: text, exclude: Type.Optional(Type.Boolean()) }),
  /** For a session whose folder is gone: work in the current workspace, fork there, or leave it. */
  command("folder", {
    choice: Type.Union([Type.Literal("here"), Type.Literal("fork"), Type.Literal("cancel")]),
  }),
]);
export type Command = Static<typeof Command>;
export type CommandType = Command["type"];
export type CommandOf<Tag extends CommandType> = Extract<Command, { type: Tag }>;

/** `seq`: the event after which the effect can be seen. `session`: where a fork, clone or copy lives now. */
export const CommandAnswer = Type.Object({
  ok: Type.Literal(true),
  seq: Type.Number(),
  session: Type.Optional(Type.String()),
  entryId: Type.Optional(Type.String()),
  run: Type.Optional(Type.String()),
  /** Said where something was done differently, e.g. a branch that was moved to a batch's end. */
  note: Type.Optional(Type.String()),
});
export type CommandAnswer = Static<typeof CommandAnswer>;
