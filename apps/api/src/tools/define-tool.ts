import type { Tool, ToolContext, ToolOutput } from "@espalier/core";
import type { ToolEffect } from "@espalier/protocol";
import type { Static, TObject } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

interface ToolDefinition<Schema extends TObject> {
  readonly name: string;
  /** What the model reads: what it does, its limits, when to use it. */
  readonly description: string;
  readonly parameters: Schema;
  readonly effect: ToolEffect;
  /** See `Tool.subject`; the arguments may be of any shape. */
  readonly subject: (args: Readonly<Record<string, unknown>>) => string;
  readonly prepare?: (args: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  readonly execute: (args: Static<Schema>, context: ToolContext) => Promise<ToolOutput>;
}

/** A tool from a typed definition. What `execute` gets has passed the schema; anything else is refused. */
export const defineTool = <Schema extends TObject>(definition: ToolDefinition<Schema>): Tool => {
  const { name, description, parameters, effect, subject, prepare, execute } = definition;
  return {
    spec: { name, description, parameters: { ...parameters } },
    effect,
    subject,
    ...(prepare === undefined ? {} : { prepare }),
    execute: async (args, context) => {
      if (!Value.Check(parameters, args)) return failed(`The arguments do not fit the schema of ${name}.`);
      if (context.signal.aborted) return failed("Not run: stopped.");
      return execute(args, context);
    },
  };
};

export const said = (text: string, details?: unknown): ToolOutput => ({
  content: [{ type: "text", text }],
  ...(details === undefined ? {} : { details }),
  isError: false,
});

/** An expected failure, in words the model can act on. */
export const failed = (text: string, details?: unknown): ToolOutput => ({
  ...said(text, details),
  isError: true,
});

/** A text argument for a card's line, whatever the model sent. */
export const textArgument = (args: Readonly<Record<string, unknown>>, key: string): string => {
  const value = args[key];
  return typeof value === "string" ? value : "";
};

/** What a system error means, without its call's name. */
export const systemReason = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const words: Record<string, string> = {
    ENOENT: "it does not exist",
    EACCES: "permission denied",
    EPERM: "permission denied",
    EISDIR: "it is a folder",
    ENOTDIR: "a part of the path is no folder",
    ENOSPC: "the disk is full",
    EROFS: "the disk is read only",
    ELOOP: "its symbolic links run in a circle",
    ENAMETOOLONG: "the name is too long",
    EMFILE: "too many files are open",
  };
  return words[code] ?? (error instanceof Error ? error.message : String(error));
};
