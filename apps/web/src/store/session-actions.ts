import { notAside, problemOf } from "@espalier/core";
import type {
  Approval,
  Command,
  CommandAnswer,
  CommandType,
  EntryId,
  ImageContent,
  ModelInfo,
  Outcome,
  SessionId,
  ThinkingLevel,
} from "@espalier/protocol";
import { showToast } from "../ui/toast-store.ts";
import { BOOKMARK } from "./bookmark.ts";
import { isWorthTelling, type Left, leftBehind, whenOver } from "./leaving.ts";
import type { SessionClient } from "./session-store.ts";
import { showLatest, uiStore } from "./ui-store.ts";

/** Commands whose answer names another session because that is what they were for. */
const MAKES_ANOTHER: ReadonlySet<CommandType> = new Set(["fork", "clone", "folder", "save_copy", "repair"]);

/** Runs a command and says what went wrong; null then. */
const run = async (client: SessionClient, command: Command): Promise<CommandAnswer | null> => {
  try {
    const answer = await client.send(command);
    if (answer.note !== undefined) showToast(answer.note);
    if (answer.session !== undefined && !MAKES_ANOTHER.has(command.type))
      client.moveTo(answer.session as SessionId);
    return answer;
  } catch (error) {
    showToast(problemOf(error).message, "error");
    return null;
  }
};

const withImages = (images: readonly ImageContent[]) => (images.length === 0 ? {} : { images: [...images] });

/** The end of the path that is read, when that is not the session's current place; else undefined. */
const elsewhere = (client: SessionClient): EntryId | null | undefined => {
  const { session, view } = client.store.getState();
  return session !== null && view.leafId !== session.leafId ? view.leafId : undefined;
};

/** Runs a command that acts at the current place. When another path is read, its end becomes that place first: what is meant is what is seen. */
const runHere = async (client: SessionClient, command: Command): Promise<CommandAnswer | null> => {
  const target = elsewhere(client);
  if (target !== undefined) {
    if (!(await run(client, { type: "navigate", target }))) return null;
    await client.read(null);
  }
  return run(client, command);
};

const fileActions = (client: SessionClient) => ({
  fork: (entryId: EntryId, position: "at" | "before") => run(client, { type: "fork", entryId, position }),
  /** The path to an entry as a session that works in another folder. Throws ProblemError: whoever asks shows it where it was asked. */
  forkInto: (entryId: EntryId, cwd: string) => client.send({ type: "fork", entryId, cwd }),
  /** The path that is read, as a session of its own. */
  clone: () => {
    const end = elsewhere(client);
    return run(client, end ? { type: "fork", entryId: end, position: "at" } : { type: "clone" });
  },
  /** All that is known of a session whose file was cut, replaced or taken away, as a new session. */
  saveCopy: () => run(client, { type: "save_copy" }),
  /** What can be read of a damaged session, as a new session. */
  repair: () => run(client, { type: "repair" }),
  folder: (choice: "here" | "fork" | "cancel") => run(client, { type: "folder", choice }),
});

/** A move on its way: with a summary it takes a while, and may be stopped. */
interface Move {
  /** Where the session stands when it is over; undefined when it was stopped. */
  readonly at: Promise<EntryId | null | undefined>;
  readonly left: Left | null;
}

/**
 * Moves the session's place. What is left is summed up when the person always wants that; else the page asks, beside the way. Null: it
 * was refused.
 */
const moveTo = async (client: SessionClient, target: EntryId | null): Promise<Move | null> => {
  const left = leftBehind(client, target);
  const { leaveWith } = uiStore.getState();
  const isTold = left !== null && isWorthTelling(client, left);
  const sums = isTold && leaveWith === "summary";
  const answer = await run(client, { type: "navigate", target, ...(sums ? { summary: true } : {}) });
  if (answer === null) return null;
  const at = (answer.entryId ?? null) as EntryId | null;
  const whereTo = async (run: string): Promise<EntryId | null | undefined> =>
    (await whenOver(client, run)) ? (client.store.getState().session?.leafId ?? null) : undefined;
  uiStore.setState({
    leaving: left === null || sums ? null : { ...left, at, ask: isTold && leaveWith === "ask" },
  });
  const there = answer.run === undefined ? Promise.resolve(at) : whereTo(answer.run);
  if (left !== null && sums)
    void there.then((end) => end !== undefined && sayLeft(client, left, " with a summary"));
  return { at: there, left };
};

/** Takes a move back. */
const goBack = async (client: SessionClient, from: EntryId): Promise<void> => {
  uiStore.setState({ leaving: null });
  await run(client, { type: "navigate", target: from });
  await client.read(null);
};

/** Nothing is gone: the way back is one press. */
const sayLeft = (client: SessionClient, { from, entries }: Left, how = ""): void => {
  const what = entries === 1 ? "1 entry" : `${entries} entries`;
  showToast(`Left ${what}${how}; they stay in the tree.`, "info", {
    title: "Undo",
    run: () => void goBack(client, from),
  });
};

const moveActions = (client: SessionClient) => ({
  /** Makes an entry the session's place; null: before the first message. */
  goTo: (target: EntryId | null) => moveTo(client, target),
  goBack: (from: EntryId) => goBack(client, from),
  /** Says what a move left, where nothing else on the page does. */
  sayLeft: (left: Left) => sayLeft(client, left),
  /** Tells at the current place of a branch that was left for it. */
  tellOf: async (left: Left, instructions: string): Promise<void> => {
    const answer = await run(client, {
      type: "carry_over",
      from: left.from,
      ...(instructions === "" ? {} : { instructions }),
    });
    if (answer === null) return;
    if (answer.run === undefined || (await whenOver(client, answer.run)))
      sayLeft(client, left, " with a summary");
  },
});

const runActions = (client: SessionClient) => ({
  stop: () => run(client, { type: "abort" }),
  goOn: () => run(client, { type: "continue" }),
});

const nameActions = (client: SessionClient) => ({
  label: (entryId: EntryId, label: string) => run(client, { type: "label", entryId, label }),
  /** Labels an entry "bookmark", or takes that label away. */
  bookmark: (entryId: EntryId) => {
    const has = client.store.getState().session?.tree.labels.get(entryId) === BOOKMARK;
    return run(client, { type: "label", entryId, ...(has ? {} : { label: BOOKMARK }) });
  },
  /** Says how the branch that ends at an entry ended; null takes it back. */
  outcome: (entryId: EntryId, outcome: Outcome | null, note = "") =>
    run(client, {
      type: "outcome",
      entryId,
      ...(outcome === null ? {} : { outcome }),
      ...(note === "" ? {} : { note }),
    }),
  rename: (name: string) => run(client, { type: "rename", name }),
  setModel: async ({ provider, id, contextWindow }: ModelInfo) => {
    const answer = await runHere(client, { type: "set_model", model: `${provider}/${id}` });
    if (answer) client.chose({ model: { provider, modelId: id }, window: contextWindow });
    return answer;
  },
  setThinking: async (level: ThinkingLevel) => {
    const answer = await runHere(client, { type: "set_thinking", level });
    if (answer) client.chose({ thinkingLevel: level });
    return answer;
  },
});

const compactActions = (client: SessionClient) => ({
  compact: (instructions: string) =>
    runHere(client, { type: "compact", ...(instructions === "" ? {} : { instructions }) }),
  /** Summarises what stands before an entry of the path that is read. */
  compactAt: (firstKept: EntryId, how: { instructions?: string; extract?: true }) =>
    runHere(client, { type: "compact", firstKept, ...how }),
  /** A second summary of what a compaction put away. */
  resummarise: (entryId: EntryId, how: { instructions?: string; verbatim?: string[]; summary?: string }) =>
    run(client, { type: "resummarise", entryId, ...how }),
});

const queueActions = (client: SessionClient) => ({
  removeQueued: (item: string) => run(client, { type: "queue_remove", item }),
  updateQueued: (item: string, change: { text?: string; kind?: "steer" | "follow_up"; index?: number }) =>
    run(client, { type: "queue_update", item, ...change }),
});

/** What a person can ask of a session. Each resolves to null when it failed, which was said then. */
export const sessionActions = (client: SessionClient) => {
  const state = () => client.store.getState();

  /** A new turn. When another path than the session's leaf is read, it goes on at the end of that path. */
  const prompt = async (
    text: string,
    images: readonly ImageContent[] = [],
  ): Promise<CommandAnswer | null> => {
    showLatest();
    const at = elsewhere(client);
    const answer = await run(client, {
      type: "prompt",
      text,
      ...withImages(images),
      ...(at === undefined ? {} : { at }),
    });
    if (answer && at !== undefined) await client.read(null);
    return answer;
  };

  /** Where a branch beside or below an entry starts: a person's message is replaced, anything else is answered. */
  const branchPlace = (entry: EntryId): EntryId | null => {
    const tree = state().session?.tree;
    const row = tree?.get(entry);
    if (!tree || !row) return entry;
    return row.role === "user" ? notAside(tree, row.parentId) : entry;
  };

  return {
    prompt,
    steer: (text: string, images: readonly ImageContent[] = []) =>
      run(client, { type: "steer", text, ...withImages(images) }),
    followUp: (text: string, images: readonly ImageContent[] = []) =>
      run(client, { type: "follow_up", text, ...withImages(images) }),
    bash: (command: string, exclude: boolean) => runHere(client, { type: "bash", command, exclude }),
    /** Moves the leaf so that the next message starts a branch there. */
    branchFrom: async (entry: EntryId): Promise<boolean> => {
      if (!(await moveTo(client, branchPlace(entry)))) return false;
      await client.read(null);
      showLatest();
      return true;
    },
    /** Where going to an entry really leads: a person's message is written anew, so its place is the one above it. */
    placeOf: branchPlace,
    /** Sends a text in place of a person's message: a sibling of it. */
    resend: async (entry: EntryId, text: string): Promise<void> => {
      await client.send({ type: "prompt", text, at: branchPlace(entry) });
      await client.read(null);
      showLatest();
    },
    /** Sends a text below an entry, as a branch of its own. */
    resendBelow: async (entry: EntryId, text: string): Promise<CommandAnswer | null> => {
      const answer = await run(client, { type: "prompt", text, at: entry });
      if (answer) await client.read(null);
      showLatest();
      return answer;
    },
    answer: (approval: Approval, decision: "once" | "workspace" | "deny") =>
      run(client, { type: "answer", approval: approval.id, decision }),
    ...compactActions(client),
    ...moveActions(client),
    ...fileActions(client),
    ...runActions(client),
    ...nameActions(client),
    ...queueActions(client),
  };
};

export type SessionActions = ReturnType<typeof sessionActions>;
