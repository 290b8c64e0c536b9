import type { Tool } from "@espalier/core";

export interface PromptFacts {
  readonly cwd: string;
  readonly tools: readonly Tool[];
  /** AGENTS.md files and the like, nearest last. */
  readonly contextFiles: readonly { readonly path: string; readonly text: string }[];
}

const PREAMBLE =
  "You are the coding agent of Espalier. You work in a person's folder with the tools below: you look before you change, make the smallest change that does the job, check it, and say plainly what you did and what you did not.";

const toolLines = (tools: readonly Tool[]): string =>
  tools.map(({ spec }) => `- ${spec.name}: ${spec.description.split("\n")[0]}`).join("\n");

const RULES = [
  "Read a file before you edit it; read it with the read tool, not with a shell command.",
  "Give paths as the user gives them, relative to the folder unless they lie outside it.",
  "Edit with exact text; several places of one file in one edit call.",
  "A result that says it was not run, cut or stopped is no success: say so.",
  "Answer briefly. Name the files you touched.",
];

/**
 * The system prompt by section, in order. It depends on nothing that changes from request to request (no date, no ids), so
 * that a provider's cache of the prefix stays good.
 */
export const promptSections = ({ cwd, tools, contextFiles }: PromptFacts): Record<string, string> => ({
  preamble: PREAMBLE,
  ...(tools.length === 0 ? {} : { tools: `<tools>\n${toolLines(tools)}\n</tools>` }),
  rules: `<rules>\n${RULES.map((rule) => `- ${rule}`).join("\n")}\n</rules>`,
  ...(contextFiles.length === 0
    ? {}
    : {
        project_context: contextFiles
          .map(
            ({ path, text }) =>
              `<project_instructions path="${path}">\n${text.trim()}\n</project_instructions>`,
          )
          .join("\n\n"),
      }),
  cwd: `<cwd>\n${cwd}\n</cwd>`,
});
