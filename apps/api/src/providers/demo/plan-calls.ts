import type { Action } from "./request-types.ts";

export interface PlannedCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const quoted = (text: string): string =>
  /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A path as an argument of a command: never an option. */
const argument = (path: string): string => quoted(path.startsWith("-") ? `./${path}` : path);

const byShell = (action: Action): string | null => {
  switch (action.kind) {
    case "list":
      return `ls -Ap ${argument(action.path)}`;
    case "search":
      return `grep -rnIF --exclude-dir=.git --exclude-dir=node_modules -e ${quoted(action.pattern)} ${argument(action.path)}`;
    case "findFiles":
      return `find ${argument(action.path)} -name ${quoted(action.pattern)} -not -path '*/node_modules/*' -not -path '*/.git/*'`;
    case "run":
      return action.command;
    case "read":
    case "edit":
    case "write":
      return null;
  }
};

const byTool = (action: Action): PlannedCall => {
  const folder = "path" in action && action.path !== "." ? { path: action.path } : {};
  switch (action.kind) {
    case "read":
      return { name: "read", args: { path: action.path } };
    case "list":
      return { name: "ls", args: folder };
    case "search":
      return { name: "grep", args: { pattern: action.pattern, literal: true, ...folder } };
    case "findFiles":
      return { name: "find", args: { pattern: action.pattern, ...folder } };
    case "run":
      return { name: "bash", args: { command: action.command } };
    case "edit":
      return {
        name: "edit",
        args: { path: action.path, edits: [{ oldText: action.oldText, newText: action.newText }] },
      };
    case "write":
      return { name: "write", args: { path: action.path, content: action.content } };
  }
};

/** The call for an action with the tools there are: its own tool, else the shell; null when neither is offered. */
export const planCall = (action: Action, tools: ReadonlySet<string>): PlannedCall | null => {
  const call = byTool(action);
  if (tools.has(call.name)) return call;
  const command = byShell(action);
  return command !== null && tools.has("bash") ? { name: "bash", args: { command } } : null;
};

/** What an action does, in words that follow "I will". */
export const inWords = (action: Action): string => {
  const where = "path" in action && action.path === "." ? "this folder" : "path" in action ? action.path : "";
  switch (action.kind) {
    case "read":
      return `read ${where}`;
    case "list":
      return `list what is in ${where}`;
    case "search":
      return `search for "${action.pattern}" in ${where}`;
    case "findFiles":
      return `look for files named ${action.pattern} in ${where}`;
    case "run":
      return `run \`${action.command}\``;
    case "edit":
      return action.newText === ""
        ? `take "${action.oldText}" out of ${where}`
        : `replace "${action.oldText}" with "${action.newText}" in ${where}`;
    case "write":
      return `write ${where}`;
  }
};

/** a, b and c. */
export const joined = (parts: readonly string[]): string =>
  parts.length < 2 ? (parts[0] ?? "") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
