import { OUTCOME, ProblemError, runAt } from "@espalier/core";
import type { Command, CommandAnswer, CommandOf, CommandType, EntryDraft, EntryId } from "@espalier/protocol";
import { carryOver, leaveWithSummary } from "./branch-run.ts";
import { compactNow } from "./compact-run.ts";
import { landing } from "./landing.ts";
import { mergeEntries } from "./merge-entries.ts";
import { resummarise } from "./resummarise.ts";
import type { SessionRuntime } from "./session-runtime.ts";

/** What a command did, before the service adds the sequence number. */
export type Done = Omit<CommandAnswer, "ok" | "seq">;
type Handler<Tag extends CommandType> = (runtime: SessionRuntime, command: CommandOf<Tag>) => Promise<Done>;

/** Commands that make another session; the service does them, since it knows all sessions. */
export type AcrossSessions = "fork" | "clone" | "save_copy" | "repair" | "folder";
/** Done by the service too: it is not done in turn with the others. */
type Inside = Exclude<CommandType, AcrossSessions | "bash">;

const known = (runtime: SessionRuntime, id: EntryId): void => {
  if (!runtime.journal.state.tree.has(id))
    throw new ProblemError("not_found", `Entry ${id} is not in this session.`);
};

const navigate: Handler<"navigate"> = async (runtime, { target, summary, instructions }) => {
  const { leaf, note } = await landing(runtime, target);
  const told = summary === true ? await leaveWithSummary(runtime, leaf, instructions) : null;
  if (told !== null) return note === undefined ? told : { ...told, note };
  if (runtime.openRuns.length === 0) await runtime.journal.goTo(leaf);
  else runtime.journal.moveLeaf(leaf);
  return { ...(leaf === null ? {} : { entryId: leaf }), ...(note === undefined ? {} : { note }) };
};

const prompt: Handler<"prompt"> = async (runtime, command) => {
  if (command.at === undefined) {
    const here = runAt(runtime.journal.state, runtime.journal.state.leafId);
    // Whoever writes while a summary is made is on their way: the words are sent where the summary leads.
    if (here?.work !== "branch_summary") return runtime.prompt(command);
    runtime.enqueue("follow_up", { ...command, type: "follow_up", run: here.id });
    return { run: here.id };
  }
  const { leaf, note } = await landing(runtime, command.at);
  const done = await runtime.prompt({ ...command, at: leaf });
  return note === undefined ? done : { ...done, note };
};

/** Notes that hang at the leaf; the next message hangs there too. */
const aside = async (runtime: SessionRuntime, draft: EntryDraft): Promise<Done> => {
  const { state, stored } = runtime.journal;
  if (!stored) throw new ProblemError("nothing_to_do", "The session is empty: write a message first.");
  const [entry] = await runtime.journal.commit([draft], { parent: state.leafId, source: "command" });
  return entry ? { entryId: entry.id } : {};
};

const handlers: { readonly [Tag in Inside]: Handler<Tag> } = {
  prompt,
  navigate,
  carry_over: carryOver,
  steer: async (runtime, command) => {
    runtime.enqueue("steer", command);
    return {};
  },
  follow_up: async (runtime, command) => {
    runtime.enqueue("follow_up", command);
    return {};
  },
  abort: async (runtime, { run }) => {
    if (run === undefined && runtime.openRuns.length === 0 && runtime.stopShells()) return {};
    runtime.stop(run);
    return {};
  },
  continue: (runtime) => runtime.resume(),
  label: async (runtime, { entryId, label }) => {
    known(runtime, entryId);
    const text = (label ?? "").replaceAll(/\s+/g, " ").trim();
    return aside(runtime, { type: "label", targetId: entryId, ...(text === "" ? {} : { label: text }) });
  },
  outcome: async (runtime, { entryId, outcome, note }) => {
    known(runtime, entryId);
    const said = (note ?? "").trim();
    if (outcome === undefined && !runtime.journal.state.tree.outcomes.has(entryId))
      throw new ProblemError("nothing_to_do", "There is no mark to take back: say how it ended.");
    const data = {
      v: 1,
      at: entryId,
      ...(outcome === undefined ? {} : { outcome }),
      ...(outcome === undefined || said === "" ? {} : { note: said }),
    };
    return aside(runtime, { type: "custom", customType: OUTCOME, data });
  },
  rename: (runtime, { name }) =>
    aside(runtime, { type: "session_info", name: name.replaceAll(/\p{Cc}+/gu, " ").trim() }),
  merge: (runtime, { entries }) => mergeEntries(runtime.journal, entries),
  compact: (runtime, command) => {
    if (command.firstKept !== undefined) known(runtime, command.firstKept);
    return compactNow(runtime, command);
  },
  resummarise,
  set_model: async (runtime, { model }) => {
    const found = await runtime.process.models.resolve(model);
    if ("code" in found) throw new ProblemError(found.code, found.message);
    runtime.choose({ model: { provider: found.provider, modelId: found.id } });
    return {};
  },
  set_thinking: async (runtime, { level }) => {
    runtime.choose({ thinkingLevel: level });
    return {};
  },
  answer: async (runtime, { approval, decision }) => {
    runtime.approvals.answer(approval, decision);
    return {};
  },
  queue_remove: async (runtime, { item }) => {
    if (!runtime.queue.remove(item))
      throw new ProblemError("conflict", "That message was sent or removed already.");
    runtime.tellQueue();
    return {};
  },
  queue_update: async (runtime, { item, text, kind, index }) => {
    const change = {
      ...(text === undefined ? {} : { text }),
      ...(kind === undefined ? {} : { kind }),
      ...(index === undefined ? {} : { index }),
    };
    if (!runtime.queue.update(item, change)) {
      throw new ProblemError("conflict", "That message was sent or removed already.");
    }
    runtime.tellQueue();
    return {};
  },
};

/** Commands that write to the session's file, and so need one that may be written to. */
export const writes = (command: Command): boolean => writing.has(command.type);
const writing: ReadonlySet<CommandType> = new Set([
  "prompt",
  "continue",
  "navigate",
  "carry_over",
  "label",
  "outcome",
  "rename",
  "merge",
  "compact",
  "resummarise",
  "bash",
]);

/** Does a command inside one session. Throws ProblemError; then nothing was changed. */
export const doCommand = (
  runtime: SessionRuntime,
  command: Extract<Command, { type: Inside }>,
): Promise<Done> => {
  // The map is total over the union; TypeScript cannot tie the handler to this command's own tag.
  const handle = handlers[command.type] as (runtime: SessionRuntime, command: Command) => Promise<Done>;
  return handle(runtime, command);
};
