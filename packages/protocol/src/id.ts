import { Type } from "@sinclair/typebox";

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Id of one line of a session file; unique inside that file only (a fork repeats its source's ids). */
export type EntryId = Branded<"EntryId">;
/** Id of a session in routes: the header's id, or the header's id with `~` and 16 hex digits on a clash. */
export type SessionId = Branded<"SessionId">;
/** Id a model gave a tool call. Not unique: some servers repeat one id for every call. */
export type ToolCallId = Branded<"ToolCallId">;
/** Id a client makes for a command, so that a repeated delivery is done once. */
export type CommandId = Branded<"CommandId">;
/** Id of one run (a prompt being worked on), made by the server. */
export type RunId = Branded<"RunId">;

export const entryId = (text: string): EntryId => text as EntryId;
export const sessionId = (text: string): SessionId => text as SessionId;
export const toolCallId = (text: string): ToolCallId => text as ToolCallId;
export const commandId = (text: string): CommandId => text as CommandId;
export const runId = (text: string): RunId => text as RunId;

export const EntryIdSchema = Type.Unsafe<EntryId>(Type.String({ minLength: 1, maxLength: 256 }));
export const SessionIdSchema = Type.Unsafe<SessionId>(Type.String({ minLength: 1, maxLength: 96 }));
export const ToolCallIdSchema = Type.Unsafe<ToolCallId>(Type.String());
export const CommandIdSchema = Type.Unsafe<CommandId>(Type.String({ minLength: 1, maxLength: 128 }));
export const RunIdSchema = Type.Unsafe<RunId>(Type.String({ minLength: 1 }));
