import type { EntryId, EntryOf, SystemMessage } from "@espalier/protocol";
import { buildContext } from "../context/build-context.ts";
import type { Projected } from "../context/context-message.ts";
import { contextTokens, tokensOfMessage } from "../context/estimate-tokens.ts";
import { nodeOfEntry, selectContext } from "../context/select-context.ts";
import { systemCheckpoint } from "../context/system-prompt.ts";
import { cutPlaces } from "../group/can-cut.ts";
import { joinPath } from "../group/join-groups.ts";
import { type AnyEntry, asKnown } from "../session/known-entry.ts";
import { type CutSlot, findCutPoint } from "./find-cut-point.ts";
import { splitTurnStart } from "./split-turn.ts";
import { fileOperations, type TouchedFiles, touchedFiles } from "./touched-files.ts";

/** What a compaction would do. */
export interface CompactionPlan {
  readonly firstKeptEntryId: EntryId;
  /** The cut falls into a turn: what stands before it in that turn is summarised by itself. */
  readonly isSplitTurn: boolean;
  readonly turnStartEntryId: EntryId | null;
  readonly messagesToSummarize: readonly Projected[];
  /** The beginning of the turn that is cut; empty unless `isSplitTurn`. */
  readonly turnPrefix: readonly Projected[];
  readonly kept: readonly Projected[];
  /** Tokens of the context now, and, without the new summary, of what stays of it. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The compaction whose summary the new one goes on from. */
  readonly previous: EntryOf<"compaction"> | null;
  readonly files: TouchedFiles;
  /** Prompt and tools as they stand, so that they survive the cut; absent when the context names none. */
  readonly systemMessage?: SystemMessage;
}

export type PreparedCompaction = CompactionPlan | { readonly nothing: string };

/** The stretch that could be summarised: all that the context holds besides the newest summary, in path order. */
const slotsOf = (path: readonly AnyEntry[], messages: readonly Projected[]): CutSlot[] => {
  const { indices, compaction } = selectContext(path.map(nodeOfEntry));
  const said = new Map(messages.map(({ entryId, message }) => [entryId, message]));
  const ids = path.map(({ id }) => id);
  const items = joinPath(path);
  const cuttable = new Set(
    cutPlaces(items, ids)
      .filter(({ index }) =>
        ["user", "step", "bash", "note", "branch_summary"].includes(items[index]?.kind ?? ""),
      )
      .map(({ entryId }) => entryId),
  );
  // The first item of a path is no place between items, yet a cut there is the way to say that everything is kept.
  if (items[0] !== undefined && items[0].kind !== "orphan") cuttable.add(items[0].id);
  return indices
    .toSorted((a, b) => a - b)
    .flatMap((at): CutSlot[] => {
      const entry = path[at];
      if (entry === undefined) return [];
      const known = asKnown(entry);
      const message = at === compaction ? null : (said.get(entry.id) ?? null);
      const isAnswer = known?.type === "message" && known.message.role === "assistant";
      return [
        {
          entryId: entry.id,
          message,
          canCut: cuttable.has(entry.id) && entry.type !== "compaction",
          isCompaction: entry.type === "compaction",
          isOmittedAnswer: isAnswer && message === null,
        },
      ];
    });
};

/** What the slots say; system messages go on in the checkpoint and are neither summarised nor kept. */
const projected = (slots: readonly CutSlot[]): Projected[] =>
  slots.flatMap(({ entryId, message }) =>
    message === null || message.role === "system" ? [] : [{ entryId, message }],
  );

const sumTokens = (messages: readonly Projected[]): number =>
  messages.reduce((sum, { message }) => sum + tokensOfMessage(message), 0);

/** Index of the slot to keep from, or null where a cut would part a group. Marks right before a place go with it. */
const cutAt = (slots: readonly CutSlot[], wanted: EntryId): number | null => {
  const at = slots.findIndex(({ entryId }) => entryId === wanted);
  const said = slots
    .slice(Math.max(0, at))
    .find(({ message, isCompaction }) => message !== null || isCompaction);
  return at >= 0 && said?.canCut === true && said.message !== null ? at : null;
};

/**
 * Says what a compaction of a path would summarise and keep. `path` holds the entries of `contextPath`, root first; `time` (epoch ms) dates
 * the system checkpoint. The cut is pi 1.6.0's, but never falls between a call and its result, whatever the file holds.
 */
export const prepareCompaction = (
  path: readonly AnyEntry[],
  settings: {
    readonly keepRecentTokens: number;
    readonly time: number;
    /** Where to cut instead; a place where no group would be parted. */
    readonly firstKept?: EntryId;
  },
): PreparedCompaction => {
  const context = buildContext(path);
  const slots = slotsOf(path, context.messages);
  const { firstKept: wanted } = settings;
  const cut = wanted === undefined ? findCutPoint(slots, settings.keepRecentTokens) : cutAt(slots, wanted);
  if (cut === null)
    return {
      nothing:
        wanted === undefined
          ? "There is no message yet that could be summarised."
          : "The path cannot be cut there: a call would be parted from its result, or a summary stands for it already.",
    };
  const start = splitTurnStart(
    slots.map(({ message }) => message),
    cut,
  );
  const messagesToSummarize = projected(slots.slice(0, start ?? cut));
  const turnPrefix = start === null ? [] : projected(slots.slice(start, cut));
  const firstKept = slots[cut];
  if (firstKept === undefined || messagesToSummarize.length + turnPrefix.length === 0) {
    return { nothing: `Everything fits into the ${settings.keepRecentTokens} tokens that are kept.` };
  }
  const kept = projected(slots.slice(cut));
  const { system } = context;
  const hasSystem = system.content !== "" || system.sections.size + system.tools.size > 0;
  const systemMessage = hasSystem ? systemCheckpoint(system, settings.time) : undefined;
  const systemTokens = systemMessage === undefined ? 0 : tokensOfMessage(systemMessage);
  return {
    firstKeptEntryId: firstKept.entryId,
    isSplitTurn: start !== null,
    turnStartEntryId: start === null ? null : (slots[start]?.entryId ?? null),
    messagesToSummarize,
    turnPrefix,
    kept,
    tokensBefore: contextTokens(context),
    tokensAfter: systemTokens + sumTokens(kept),
    previous: context.compaction,
    files: touchedFiles(
      fileOperations(
        [...messagesToSummarize, ...turnPrefix].map(({ message }) => message),
        context.compaction === null ? [] : [context.compaction],
      ),
    ),
    ...(systemMessage === undefined ? {} : { systemMessage }),
  };
};
