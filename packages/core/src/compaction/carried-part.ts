import type { EntryId, ToolCallContent } from "@espalier/protocol";
import type { ContextMessage, Projected } from "../context/context-message.ts";
import { pairedCalls } from "../context/pair-messages.ts";
import { type BranchPlan, type BranchSummaryDraft, draftOf } from "./branch-summary.ts";
import { conversationText } from "./summary-prompt.ts";
import { fileOperations, touchedFiles } from "./touched-files.ts";

/** What of a branch is carried over word for word. */
export interface CarriedPart {
  readonly entries: readonly EntryId[];
  /** Paths as the branch's write and edit calls name them. */
  readonly files: readonly string[];
}

/** Calls that did what they say. */
const doneCalls = (said: readonly Projected[]): ToolCallContent[] =>
  pairedCalls(said.map(({ message }) => message)).flatMap(({ call, result }) =>
    result === null || result.isError ? [] : [call],
  );

const editsOf = (call: ToolCallContent): { oldText: string; newText: string }[] => {
  const list: unknown = call.arguments?.edits;
  const all: unknown[] = [...(Array.isArray(list) ? list : []), call.arguments];
  return all.flatMap((edit) => {
    if (typeof edit !== "object" || edit === null || !("oldText" in edit) || !("newText" in edit)) return [];
    const { oldText, newText } = edit;
    return typeof oldText === "string" && typeof newText === "string" ? [{ oldText, newText }] : [];
  });
};

const fenced = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
};

/**
 * What a branch's write and edit calls made of a file: its whole text where the branch wrote it, else its edits in order. What
 * commands changed besides is not known.
 */
const fileText = (path: string, calls: readonly ToolCallContent[]): string | null => {
  let text: string | null = null;
  let edits: { oldText: string; newText: string }[] = [];
  for (const call of calls) {
    if (call.arguments?.path !== path) continue;
    const content: unknown = call.arguments.content;
    if (call.name === "write" && typeof content === "string") {
      text = content;
      edits = [];
    }
    if (call.name !== "edit") continue;
    for (const edit of editsOf(call)) {
      if (text?.includes(edit.oldText)) text = text.replace(edit.oldText, () => edit.newText);
      else edits.push(edit);
    }
  }
  if (text === null && edits.length === 0) return null;
  return [
    `### ${path}`,
    ...(text === null ? [] : [fenced(text)]),
    ...edits.map(({ oldText, newText }) => `Replaced\n${fenced(oldText)}\nby\n${fenced(newText)}`),
  ].join("\n");
};

/** The chosen messages, each step with the results of its calls, in path order. */
const chosenMessages = (said: readonly Projected[], entries: readonly EntryId[]): Projected[] => {
  const wanted = new Set(entries);
  const steps = new Set(said.flatMap(({ entryId, message }) => (wanted.has(entryId) ? [message] : [])));
  const results = new Set<ContextMessage>(
    pairedCalls(said.map(({ message }) => message)).flatMap(({ step, result }) =>
      result !== null && steps.has(step) ? [result] : [],
    ),
  );
  return said.filter(({ entryId, message }) => wanted.has(entryId) || results.has(message));
};

/**
 * The entry that carries messages and files of a branch over, in their own words; long tool results are cut and say so. Null when
 * nothing of what was chosen is there. `fromId` is the end of the branch they come from.
 */
export const carriedPart = (
  { said }: Pick<BranchPlan, "said">,
  { entries, files }: CarriedPart,
  fromId: EntryId,
): BranchSummaryDraft | null => {
  const messages = chosenMessages(said, entries);
  const calls = doneCalls(said);
  const texts = files.flatMap((path) => {
    const text = fileText(path, calls);
    return text === null ? [] : [{ path, text }];
  });
  const words = conversationText(messages);
  if (words === "" && texts.length === 0) return null;
  const touched = fileOperations(
    messages.map(({ message }) => message),
    [],
  );
  const operations = {
    ...touched,
    modified: new Set([...touched.modified, ...texts.map(({ path }) => path)]),
  };
  const body = [
    ...(words === "" ? [] : [`## Messages\n${words}`]),
    ...(texts.length === 0
      ? []
      : [
          `## Files\nAs the calls of that branch left them; they need not be so in the folder.\n\n${texts.map(({ text }) => text).join("\n\n")}`,
        ]),
  ].join("\n\n");
  return draftOf("carried", touchedFiles(operations), fromId, body);
};
