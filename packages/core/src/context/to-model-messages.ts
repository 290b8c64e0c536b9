import type { AgentMessage, UserContent, UserMessage } from "@espalier/protocol";
import type { ContextMessage, Projected } from "./context-message.ts";
import type { ModelMessage } from "./model-message.ts";
import { inSourceOrder } from "./pair-messages.ts";

type Bash = Extract<AgentMessage, { role: "bashExecution" }>;

/** A fence that the text cannot close. */
const fenced = (text: string): string => {
  let longest = 2;
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
};

const textOfBash = (message: Bash): string => {
  const notes = [
    ...(message.cancelled ? ["It was stopped before it ended."] : []),
    ...(message.exitCode === undefined || message.exitCode === 0 || message.cancelled
      ? []
      : [`It exited with code ${message.exitCode}.`]),
    ...(message.truncated
      ? [
          message.fullOutputPath === undefined
            ? "The output is cut."
            : `The output is cut; all of it is in ${message.fullOutputPath}`,
        ]
      : []),
  ];
  const output = message.output.trim() === "" ? "(no output)" : fenced(message.output);
  return [`I ran \`${message.command}\` myself:`, output, ...notes].join("\n");
};

const summary = (lead: string, text: string): string => `${lead}\n\n<summary>\n${text}\n</summary>`;

const userMessage = (content: string | readonly UserContent[], timestamp: number): UserMessage => ({
  role: "user",
  content: typeof content === "string" ? [{ type: "text", text: content }] : [...content],
  timestamp,
});

const toModelMessage = (message: ContextMessage): ModelMessage | null => {
  switch (message.role) {
    case "user":
    case "assistant":
    case "toolResult":
      return message;
    case "system":
      return null;
    case "bashExecution":
      return message.excludeFromContext === true ? null : userMessage(textOfBash(message), message.timestamp);
    case "custom":
      return userMessage(message.content, message.timestamp);
    case "branchSummary":
      return userMessage(
        summary("What was done on another branch of this session, in short:", message.summary),
        message.timestamp,
      );
    case "compactionSummary":
      return userMessage(
        summary("The conversation up to here, in short; the messages themselves are gone:", message.summary),
        message.timestamp,
      );
  }
};

/**
 * A context in the words of a model: user, assistant and result messages only, results in source order behind the step that
 * asked for them. System messages are left out: their sum is `SessionContext.system`.
 */
export const toModelMessages = (messages: readonly Projected[]): ModelMessage[] =>
  inSourceOrder(messages.flatMap(({ message }) => toModelMessage(message) ?? []));
