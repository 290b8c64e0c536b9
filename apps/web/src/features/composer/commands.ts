import type { SessionState } from "@espalier/core";
import type { EntryId, ModelInfo, SessionId, ThinkingLevel } from "@espalier/protocol";
import type { PathView } from "../../store/path-view.ts";
import type { SessionActions } from "../../store/session-actions.ts";
import { wordsOf } from "../../view/item/content-text.ts";

/** What the composer's commands can reach. */
export interface CommandPlace {
  readonly actions: SessionActions;
  readonly session: SessionState;
  readonly view: PathView;
  readonly models: readonly ModelInfo[];
  readonly newSession: () => void;
  readonly openSession: (id: SessionId) => void;
  readonly showTree: () => void;
  readonly help: () => void;
  readonly say: (text: string) => void;
}

export interface SlashCommand {
  readonly name: string;
  readonly argument?: string;
  readonly says: string;
  readonly run: (place: CommandPlace, argument: string) => void | Promise<void>;
}

const LEVELS: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The last message of the person on the path, with its words. */
export const lastMessage = (view: PathView): { id: EntryId; text: string } | null => {
  const item = view.items.findLast((each) => each.kind === "user");
  if (item?.kind !== "user" || item.entry.message.role !== "user") return null;
  return { id: item.id, text: wordsOf(item.entry.message.content) };
};

const findModel = (models: readonly ModelInfo[], wanted: string): ModelInfo | undefined => {
  const name = wanted.toLowerCase();
  const full = (model: ModelInfo) => `${model.provider}/${model.id}`.toLowerCase();
  return (
    models.find((model) => full(model) === name || model.id.toLowerCase() === name) ??
    models.find((model) => full(model).includes(name))
  );
};

/** What `/` offers, in the order of the list. */
export const COMMANDS: readonly SlashCommand[] = [
  { name: "new", says: "a new session in this folder", run: ({ newSession }) => newSession() },
  { name: "tree", says: "go to the session's tree", run: ({ showTree }) => showTree() },
  {
    name: "restart",
    says: "start anew from the root; what is there stays",
    run: async ({ actions }) => void (await actions.goTo(null)),
  },
  {
    name: "fork",
    says: "a new session up to before your last message",
    run: async ({ actions, view, openSession, say }) => {
      const last = lastMessage(view);
      if (!last) {
        say("There is no message of yours to fork before.");
        return;
      }
      const answer = await actions.fork(last.id, "before");
      if (answer?.session !== undefined) openSession(answer.session as SessionId);
    },
  },
  {
    name: "clone",
    says: "a new session with this whole path",
    run: async ({ actions, openSession }) => {
      const answer = await actions.clone();
      if (answer?.session !== undefined) openSession(answer.session as SessionId);
    },
  },
  {
    name: "compact",
    argument: "[what to keep in mind]",
    says: "replace the older part by a summary",
    run: async ({ actions }, argument) => void (await actions.compact(argument)),
  },
  {
    name: "name",
    argument: "NAME",
    says: "name this session",
    run: async ({ actions, say }, argument) => {
      if (argument === "") say("Write the name after /name.");
      else await actions.rename(argument);
    },
  },
  {
    name: "label",
    argument: "[TEXT]",
    says: "label the current place; without text: clear it",
    run: async ({ actions, session, say }, argument) => {
      if (session.leafId === null) say("There is nothing to label yet.");
      else await actions.label(session.leafId, argument);
    },
  },
  {
    name: "model",
    argument: "ID",
    says: "change the model",
    run: async ({ actions, models, say }, argument) => {
      const model = findModel(models, argument);
      if (model) await actions.setModel(model);
      else say(`No model is called ${argument === "" ? "so: write its id after /model" : argument}.`);
    },
  },
  {
    name: "thinking",
    argument: LEVELS.join(" | "),
    says: "change the thinking effort",
    run: async ({ actions, say }, argument) => {
      const level = LEVELS.find((each) => each === argument);
      if (level) await actions.setThinking(level);
      else say(`Thinking can be ${LEVELS.join(", ")}.`);
    },
  },
  {
    name: "continue",
    says: "go on after an error or a stop",
    run: async ({ actions }) => void (await actions.goOn()),
  },
  { name: "help", says: "keys and commands", run: ({ help }) => help() },
];

/** Reads `/name argument`; null when the text is no command we know. */
export const readCommand = (text: string): { command: SlashCommand; argument: string } | null => {
  const found = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(text.trim());
  const command = COMMANDS.find((each) => each.name === found?.[1]);
  return command ? { command, argument: (found?.[2] ?? "").trim() } : null;
};
