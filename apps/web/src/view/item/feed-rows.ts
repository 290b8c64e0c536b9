import type { AssistantMessage, EntryId, PathItem, PathItemOf, ToolGroup } from "@espalier/protocol";
import { kindOfTool, onlyLooks } from "../tool/tool-look.ts";

export type CompleteGroup = Extract<ToolGroup, { kind: "complete" }>;
type Step = PathItemOf<"step">;

interface RowBase {
  /** Stays the same while the row grows. */
  readonly key: string;
  /** Index of the (first) item among those held. */
  readonly item: number;
}

/** What the transcript shows as one article. */
export type FeedRow =
  | (RowBase & { readonly kind: "item"; readonly of: Exclude<PathItem, { kind: "step" }> })
  /** Text, thinking and failure of a step, without its calls. */
  | (RowBase & { readonly kind: "answer"; readonly of: Step })
  | (RowBase & { readonly kind: "group"; readonly of: Step; readonly group: ToolGroup })
  /** Several calls in a row that only look; `of` is the step of the first. */
  | (RowBase & { readonly kind: "fold"; readonly of: Step; readonly groups: readonly CompleteGroup[] });

const messageOf = (step: Step): AssistantMessage | null =>
  step.entry.message.role === "assistant" ? step.entry.message : null;

/** Whether a step says anything beside its calls. */
const speaks = (step: Step): boolean => {
  const message = messageOf(step);
  if (!message) return true;
  if (message.stopReason === "error" || message.stopReason === "aborted" || message.stopReason === "length")
    return true;
  return message.content.some(
    (block) =>
      (block.type === "text" && block.text.trim() !== "") ||
      (block.type === "thinking" && (block.thinking.trim() !== "" || block.redacted === true)),
  );
};

const canFold = (group: ToolGroup): group is CompleteGroup =>
  group.kind === "complete" &&
  !group.result.message.isError &&
  group.result.edit === undefined &&
  onlyLooks(kindOfTool(group.use.call.name));

const isQuiet = (item: PathItem): boolean =>
  item.kind === "mark" && item.entry.type !== "model_change" && item.entry.type !== "context_edit";

/** Whether a mark only takes a failed attempt out of the context: the attempt's own line says that it failed. */
const leavesOutFailure = (item: PathItem, failed: ReadonlySet<EntryId>): boolean =>
  item.kind === "mark" &&
  item.entry.type === "context_edit" &&
  item.entry.replacement === null &&
  failed.has(item.entry.targetId);

const rowsOfStep = (of: Step, item: number): FeedRow[] => [
  ...(speaks(of) || of.groups.length === 0 ? [{ kind: "answer", key: of.id, item, of } as const] : []),
  ...of.groups.map((group, index) => ({ kind: "group", key: `${of.id}:${index}`, item, of, group }) as const),
];

/**
 * The rows of a path's items, in order: one for each item but for steps, which give one for their text and one for each call;
 * neighbouring calls that only look become one fold. Marks that say nothing to a reader (names, positions, the leaving out of a
 * failed attempt) have none.
 */
export const feedRows = (items: readonly PathItem[]): FeedRow[] => {
  const rows: FeedRow[] = [];
  const failed = new Set<EntryId>();
  items.forEach((item, index) => {
    if (item.kind === "step" && messageOf(item)?.stopReason === "error") failed.add(item.id);
    if (item.kind === "step") rows.push(...rowsOfStep(item, index));
    else if (!isQuiet(item) && !leavesOutFailure(item, failed))
      rows.push({ kind: "item", key: item.id, item: index, of: item });
  });
  return foldRows(rows);
};

const foldRows = (rows: readonly FeedRow[]): FeedRow[] => {
  const folded: FeedRow[] = [];
  for (const row of rows) {
    if (row.kind !== "group" || !canFold(row.group)) {
      folded.push(row);
      continue;
    }
    const before = folded.at(-1);
    if (before?.kind === "fold") {
      folded[folded.length - 1] = { ...before, groups: [...before.groups, row.group] };
    } else if (before?.kind === "group" && canFold(before.group)) {
      const { key, item, of, group } = before;
      folded[folded.length - 1] = { kind: "fold", key, item, of, groups: [group, row.group] };
    } else folded.push(row);
  }
  return folded;
};

/** The entries a row shows, the first one first. */
export const entriesOfRow = (row: FeedRow): EntryId[] => {
  switch (row.kind) {
    case "item":
    case "answer":
      return [row.of.id];
    case "group":
      return row.group.kind === "complete" ? [row.of.id, row.group.result.entryId] : [row.of.id];
    case "fold":
      return row.groups.flatMap((group) => [group.use.entryId, group.result.entryId]);
  }
};
