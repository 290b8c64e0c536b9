import type { AgentMessage, PathItem, ToolGroup } from "@espalier/protocol";

/** What a summary may keep or lose, told apart by how it looks. */
export type FactKind = "path" | "command" | "number" | "identifier" | "error";

/** One thing a text names. `text` is what is looked for. */
export interface Fact {
  readonly kind: FactKind;
  readonly text: string;
}

const PATH =
  /(?:~|\.{1,2}|[\w@.-]+)?(?:\/[\w@.+-]+)+\/?|\b[\w-]+(?:\.[\w-]+)*\.(?:[cm]?[jt]sx?|json|jsonl|md|css|html|py|rs|go|java|rb|sh|sql|toml|ya?ml|txt|lock)\b/g;
const IDENTIFIER =
  /\b(?:[a-z][a-z0-9]*(?:[A-Z][A-Za-z0-9]*)+|(?:[A-Z][a-z0-9]+){2,}|[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+)\b/g;
const NUMBER = /(?<![\w.,-])\d[\d,._]*\d(?:\.\d+)?(?![\w-])/g;
const ERROR =
  /\b(?:error|exception|fatal|cannot|can't|failed|failure|not found|denied|undefined is not)\b|\bTS\d{3,5}\b|\bE[A-Z]{3,}\b/i;
const LONGEST = 200;
/** Facts of one text: more would say nothing new. */
const MOST = 200;

const unique = (facts: readonly Fact[]): Fact[] => {
  const seen = new Map(facts.map((fact) => [`${fact.kind} ${fact.text}`, fact]));
  return [...seen.values()].slice(0, MOST);
};

const all = (text: string, pattern: RegExp, kind: FactKind): Fact[] =>
  Array.from(text.matchAll(pattern), ([found]) => ({ kind, text: found }));

/** "and/or" is none: a path begins like one, ends in a kind of file, or goes down twice. */
const isPath = (text: string): boolean =>
  /[A-Za-z]/.test(text) &&
  text.length > 2 &&
  (/^(?:~|\.{1,2})?\//.test(text) || /\.\w+$/.test(text) || /\/.*\//.test(text));

/** Paths, identifiers and numbers that a text names, each once, in order; numbers inside paths are no numbers. */
export const factsOfText = (text: string): Fact[] => {
  const paths = all(text, PATH, "path").filter(({ text: path }) => isPath(path));
  const rest = text.replace(PATH, " ");
  return unique([...paths, ...all(rest, IDENTIFIER, "identifier"), ...all(rest, NUMBER, "number")]);
};

const firstLine = (text: string): string => text.trim().split("\n", 1)[0]?.trim().slice(0, LONGEST) ?? "";

/** Lines of an output that say what went wrong; of a failed call at least its first. */
const errorsOf = (output: string, isError: boolean): Fact[] => {
  const lines = output.split("\n").map((line) => line.trim().slice(0, LONGEST));
  const told = lines.filter((line) => line.length > 4 && ERROR.test(line)).slice(0, 5);
  const first = firstLine(output);
  const found = told.length > 0 || !isError || first === "" ? told : [first];
  return found.map((text) => ({ kind: "error", text }));
};

const textOf = (content: unknown): string => {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .flatMap((block: { type?: unknown; text?: unknown }) =>
      block?.type === "text" && typeof block.text === "string" ? [block.text] : [],
    )
    .join("\n");
};

const factsOfGroup = (group: ToolGroup): Fact[] => {
  if (group.kind !== "complete" && group.kind !== "missing_results") return [];
  const { path, command } = group.use.call.arguments as { path?: unknown; command?: unknown };
  const called: Fact[] = [
    ...(typeof path === "string" && path !== ""
      ? [{ kind: "path" as const, text: path.slice(0, LONGEST) }]
      : []),
    ...(typeof command === "string" && firstLine(command) !== ""
      ? [{ kind: "command" as const, text: firstLine(command) }]
      : []),
  ];
  if (group.kind === "missing_results") return called;
  const { message } = group.result;
  // What a file or a search says of errors is not what went wrong here.
  const tells = message.isError || message.toolName === "bash";
  return tells ? [...called, ...errorsOf(textOf(message.content), message.isError)] : called;
};

/** What an item of a path names: in its words, and in what its calls did and what went wrong in them. */
export const factsOfItem = (item: PathItem): Fact[] => {
  switch (item.kind) {
    case "user":
    case "note":
      return factsOfText(
        textOf("message" in item.entry ? messageText(item.entry.message) : item.entry.content),
      );
    case "step":
      return unique([...factsOfText(messageText(item.entry.message)), ...item.groups.flatMap(factsOfGroup)]);
    case "bash": {
      const { message } = item.entry;
      if (message.role !== "bashExecution") return [];
      const failed = message.exitCode !== undefined && message.exitCode !== 0;
      return unique([
        { kind: "command", text: firstLine(message.command) },
        ...errorsOf(message.output, failed),
      ]);
    }
    case "compaction":
    case "branch_summary":
      return factsOfText(item.entry.summary);
    case "orphan":
    case "system":
    case "mark":
    case "unknown":
      return [];
  }
};

const messageText = (message: AgentMessage): string => ("content" in message ? textOf(message.content) : "");
