export {
  type BranchPlan,
  type BranchSummaryDraft,
  branchLeft,
  extractedBranchSummary,
  prepareBranchSummary,
  summarizeBranch,
} from "./compaction/branch-summary.ts";
export { type CarriedPart, carriedPart } from "./compaction/carried-part.ts";
export {
  type Compacted,
  compact,
  extractCompaction,
  type SummaryAnswer,
  type SummaryRequest,
} from "./compaction/compact.ts";
export { type CompactionLimits, compactionLimits } from "./compaction/compaction-limits.ts";
export { type CutSlot, findCutPoint } from "./compaction/find-cut-point.ts";
export { type CutNow, LiveCut } from "./compaction/live-cut.ts";
export {
  type CompactionPlan,
  type PreparedCompaction,
  prepareCompaction,
} from "./compaction/prepare-compaction.ts";
export { conversationText, SUMMARY_HEADINGS } from "./compaction/summary-prompt.ts";
export {
  judgeFact,
  type KindSurvival,
  type Survival,
  type SurvivalReport,
  survivalReport,
} from "./compaction/survival.ts";
export { type Fact, type FactKind, factsOfItem, factsOfText } from "./compaction/text-facts.ts";
export type { TouchedFiles } from "./compaction/touched-files.ts";
export { verbatimLines, withVerbatim } from "./compaction/verbatim.ts";
export { BranchAccount } from "./compare/branch-report.ts";
export {
  type AlignedPart,
  alignTurns,
  type BranchPair,
  boundedFiles,
  branchPair,
  firstApart,
  type ItemRange,
} from "./compare/compare-branches.ts";
export { type FilePair, pairFiles } from "./compare/net-change.ts";
export { buildContext, measuredTokens, type SessionContext } from "./context/build-context.ts";
export type { ContextMessage, Projected } from "./context/context-message.ts";
export { type ContextGroups, contextItems, countGroups } from "./context/count-groups.ts";
export { contextTokens, contextUse, tokensOfMessage } from "./context/estimate-tokens.ts";
export { GrowingContext } from "./context/growing-context.ts";
export type { GuardTarget } from "./context/guard-target.ts";
export { type GuardedRequest, guardRequest } from "./context/request-guard.ts";
export {
  type ContextSelection,
  contextIds,
  contextPath,
  nodeOfRow,
  selectContext,
} from "./context/select-context.ts";
export {
  NO_SYSTEM,
  patchSystem,
  replaySystem,
  type SystemState,
  systemCheckpoint,
  systemPatch,
  systemText,
  type WantedSystem,
} from "./context/system-prompt.ts";
export { toModelMessages } from "./context/to-model-messages.ts";
export { bareEntry, tokensOfWords } from "./group/bare-entry.ts";
export {
  type BatchSpan,
  batchSpans,
  type CutPlace,
  cutBefore,
  cutPlaces,
  type Landing,
  landingOf,
} from "./group/can-cut.ts";
export { CallIndex, pointElsewhere } from "./group/elsewhere.ts";
export { joinPath, PathItems } from "./group/join-groups.ts";
export { type GroupCounts, noGroups } from "./group/tool-group.ts";
export { type DrawnTree, drawnAt, drawTree, type TreeFilter } from "./layout/drawn-tree.ts";
export { type Espalier, espalier } from "./layout/espalier.ts";
export { type Fold, type FoldMarks, foldTree, type Grain, type RunKind } from "./layout/fold.ts";
export { type OutlineRow, type OutlineState, outlineRows } from "./layout/outline-lanes.ts";
export type { LaidOut } from "./layout/wires.ts";
export { answerOpenCalls } from "./loop/answer-open-calls.ts";
export * from "./loop/message-queue.ts";
export * from "./loop/ports.ts";
export * from "./loop/retry-delay.ts";
export { runTurn, userDraft } from "./loop/run-turn.ts";
export type { TurnEnd, TurnPorts } from "./loop/turn-ports.ts";
export * from "./problem/problem-error.ts";
export { type EntryStamp, makeEntry, newEntryId } from "./session/append-entry.ts";
export { isAside, isPosition, OUTCOME, POSITION } from "./session/aside.ts";
export { type EntrySpan, EntrySpans } from "./session/entry-spans.ts";
export { charsOfContent, tokensOfChars, tokensOfEntry } from "./session/entry-tokens.ts";
export { HeaderFinder } from "./session/find-header.ts";
export { type CopyStamp, copyForWriting, forkPath, type SessionCopy } from "./session/fork.ts";
export { asKnown } from "./session/known-entry.ts";
export { holdingLabels, holdingOutcomes } from "./session/labels.ts";
export { leafAtOpen, notAside } from "./session/leaf.ts";
export { CURRENT_VERSION, migrateEntry } from "./session/migrate.ts";
export {
  type ParsedSession,
  parseJsonl,
  SessionParser,
} from "./session/parse-jsonl.ts";
export { parseLine, readLine, wholeRow } from "./session/parse-line.ts";
export {
  commonAncestor,
  isAncestor,
  leafThrough,
  leaves,
  pathToLeaf,
  siblings,
} from "./session/path-to-leaf.ts";
export { readEntry } from "./session/read-entry.ts";
export { type RepairCounts, type RepairStep, repairJsonl } from "./session/repair-jsonl.ts";
export { firstWords, rowOf } from "./session/row.ts";
export { LineScanner, type LineSpan } from "./session/scan-lines.ts";
export { serializeEntry, serializeHeader, wellFormedJson } from "./session/serialize.ts";
export * from "./session/session-tree.ts";
export { addToSummary, NO_SUMMARY, type SessionSummary } from "./session/summarize-session.ts";
export { applyEvent, OUTPUT_TAIL } from "./state/apply-event.ts";
export * from "./state/session-state.ts";
export { MemoryStore, refuseTaken } from "./store/memory-store.ts";
export * from "./store/session-store.ts";
export type { SessionTrash } from "./store/session-trash.ts";
export * from "./wire/frame-reader.ts";
