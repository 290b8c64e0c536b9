import {
  type AnyEntry,
  asKnown,
  extractCompaction,
  GrowingContext,
  leafAtOpen,
  makeEntry,
  newEntryId,
  parseJsonl,
  pathToLeaf,
  prepareCompaction,
  SessionTree,
} from "@espalier/core";
import { dataFolder, readData } from "../testing/data-folder.ts";
import { type Bench, type Line, line } from "./support/line.ts";

const SESSIONS = ["before-compaction", "large-session"];
/** A context of more than this is compacted; so much of it is kept. */
const DUE = 60_000;
const KEPT = 20_000;

/** What has to be findable in a context afterwards. */
interface Told {
  readonly instructions: string[];
  readonly paths: string[];
  readonly commands: string[];
  readonly errors: string[];
}

const flat = (text: string): string => text.replace(/\s+/g, " ").trim();

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : (content as { type: string; text?: string }[]).map(({ text }) => text ?? "").join("\n");

/** The instructions, modified paths, failing commands and errors of a path; an error that the same call got over later is none. */
const toldOn = (path: readonly AnyEntry[]): Told => {
  const told: Told = { instructions: [], paths: [], commands: [], errors: [] };
  const calls = new Map<string, { readonly name: string; readonly args: Record<string, unknown> }>();
  const failed = new Map<string, { readonly command: string; readonly error: string }>();
  for (const entry of path) {
    const known = asKnown(entry);
    if (known?.type !== "message") continue;
    const { message } = known;
    if (message.role === "user") told.instructions.push(flat(textOf(message.content)).slice(0, 60));
    if (message.role === "assistant")
      for (const block of message.content) {
        if (block.type !== "toolCall") continue;
        calls.set(block.id, { name: block.name, args: block.arguments });
        const named = block.arguments.path;
        if ((block.name === "edit" || block.name === "write") && typeof named === "string")
          told.paths.push(named);
      }
    if (message.role !== "toolResult") continue;
    const call = calls.get(message.toolCallId);
    const key = JSON.stringify([call?.name, call?.args.command ?? call?.args.path]);
    if (!message.isError) failed.delete(key);
    else {
      const lines = textOf(message.content)
        .split("\n")
        .filter((each) => each.trim() !== "" && !/exited with code/.test(each));
      const command =
        typeof call?.args.command === "string" ? (call.args.command.trim().split("\n")[0] ?? "") : "";
      failed.set(key, { command: flat(command).slice(0, 80), error: flat(lines.at(-1) ?? "").slice(0, 120) });
    }
  }
  for (const { command, error } of failed.values()) {
    if (command !== "") told.commands.push(command);
    if (error !== "") told.errors.push(error);
  }
  return told;
};

/** The context at the end of a path that was compacted again and again without a model. */
const compactedAlong = (path: readonly AnyEntry[]): { context: GrowingContext; times: number } => {
  const walked: AnyEntry[] = [];
  const context = new GrowingContext();
  let times = 0;
  for (const entry of path) {
    walked.push(entry);
    context.append(entry);
    if (context.context.messages.length < 2 || estimate(context) <= DUE) continue;
    const plan = prepareCompaction(walked, { keepRecentTokens: KEPT, time: 0 });
    if ("nothing" in plan) continue;
    const made = extractCompaction(plan);
    if ("problem" in made) continue;
    const compaction = makeEntry(made.draft, { id: newEntryId(() => false), parentId: entry.id, time: 0 });
    walked.push(compaction);
    context.append(compaction);
    times += 1;
  }
  return { context, times };
};

/** Tokens by estimate alone: what a recorded answer measured was said of another context. */
const estimate = (context: GrowingContext): number => {
  const { tokens: _, window: __, ...parts } = context.use(0);
  return Object.values(parts).reduce((sum, each) => sum + each, 0);
};

const lost = (wanted: readonly string[], held: string): number => {
  const all = [...new Set(wanted)].filter((text) => text !== "");
  return all.length === 0 ? 0 : (100 * all.filter((text) => !held.includes(text)).length) / all.length;
};

/** What is lost of real sessions that are compacted again and again, in percent of what was told. */
export const bench: Bench = async () => {
  if (dataFolder() === null) return [];
  const lines: Line[] = [];
  for (const name of SESSIONS) {
    const parsed = parseJsonl(readData(`sessions/pi/${name}.jsonl`));
    if (parsed === null) throw new Error(`${name} is no session`);
    const tree = new SessionTree(parsed.rows);
    const all = pathToLeaf(tree, leafAtOpen(tree)).flatMap((id) => parsed.read(id) ?? []);
    const path = all.filter(({ type }) => type !== "compaction");
    const { context, times } = compactedAlong(path);
    const held = flat(
      context.context.messages
        .map(({ message }) =>
          JSON.stringify(message).replaceAll("\\n", " ").replaceAll('\\"', '"').replaceAll("\\t", " "),
        )
        .join(" "),
    );
    const told = toldOn(path);
    for (const [kind, wanted] of Object.entries(told))
      lines.push(line(`survival-${name}-${kind}-lost`, lost(wanted, held), "%", times));
  }
  return lines;
};
