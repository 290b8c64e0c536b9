import type { ToolResultMessage, UserContent } from "@espalier/protocol";
import type { GuardChange, GuardTarget } from "./guard-target.ts";
import { limitImages } from "./limit-images.ts";
import type { ModelMessage } from "./model-message.ts";
import { type Paired, type PairedStep, pairMessages } from "./pair-messages.ts";
import { cleanAssistantContent, cleanUserContent } from "./wire-content.ts";
import { WireIds } from "./wire-ids.ts";

const words: Readonly<Record<GuardChange, (count: number) => string>> = {
  failed_step: (n) => `${count(n, "answer")} that failed or was stopped left out with its results`,
  missing_result: (n) => `${count(n, "tool call")} without a result answered as interrupted`,
  orphaned_result: (n) => `${count(n, "tool result")} without its call left out`,
  malformed_call: (n) => `${count(n, "malformed tool call")} left out`,
  wire_id: (n) => `${count(n, "tool-call id")} rewritten for this provider`,
  tool_name: (n) => `${count(n, "tool name")} rewritten for this provider`,
  foreign_thinking: (n) => `${count(n, "thinking block")} of another model left out`,
  unsigned_thinking: (n) => `${count(n, "thinking block")} without a whole signature left out`,
  empty_text: (n) => `${count(n, "empty text")} left out`,
  empty_message: (n) => `${count(n, "empty message")} left out`,
  half_character: (n) => `${count(n, "text")} with half a character mended`,
  image: (n) => `${count(n, "image")} replaced by a note`,
  first_message: () => "a first message put before the model's own",
};

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;

export interface GuardedRequest {
  readonly messages: ModelMessage[];
  /** What was changed for this request only, in words for a person; empty when nothing was. */
  readonly changes: string[];
}

const NO_OUTPUT: UserContent = { type: "text", text: "(no output)" };
const INTERRUPTED = "This call was interrupted before it gave a result; what it did until then is not known.";

class Guard {
  readonly #target: GuardTarget;
  readonly #ids: WireIds;
  readonly #counts = new Map<GuardChange, number>();

  constructor(target: GuardTarget) {
    this.#target = target;
    this.#ids = new WireIds(target.provider);
  }

  readonly note = (change: GuardChange): void => {
    this.#counts.set(change, (this.#counts.get(change) ?? 0) + 1);
  };

  get changes(): string[] {
    return [...this.#counts].map(([change, times]) => words[change](times));
  }

  message(paired: Paired): ModelMessage[] {
    switch (paired.kind) {
      case "orphan":
        this.note("orphaned_result");
        return [];
      case "user": {
        const content = cleanUserContent(paired.message.content, this.#target, this.note);
        if (content.length > 0) return [{ ...paired.message, content }];
        this.note("empty_message");
        return [];
      }
      case "step":
        return this.#step(paired);
    }
  }

  #step({ message, calls }: PairedStep): ModelMessage[] {
    if (message.stopReason === "error" || message.stopReason === "aborted") {
      this.note("failed_step");
      return [];
    }
    const cleaned = cleanAssistantContent(message, this.#target, this.note);
    if (cleaned.length === 0) {
      this.note("empty_message");
      return [];
    }
    const wireIds = calls.map(({ call }) => this.#wireId(call.id));
    let next = 0;
    const content = cleaned.map((block) => {
      if (block.type !== "toolCall") return block;
      const id = wireIds[next] ?? block.id;
      next += 1;
      return { ...block, id };
    });
    const results = calls.map(({ call, result }, at): ToolResultMessage => {
      const toolCallId = wireIds[at] ?? call.id;
      if (result === null) return this.#interrupted(toolCallId, call.name, message.timestamp);
      const blocks = cleanUserContent(result.content, this.#target, this.note);
      return { ...result, toolCallId, content: blocks.length > 0 ? blocks : [NO_OUTPUT] };
    });
    return [{ ...message, content }, ...results];
  }

  #wireId(id: string): ToolResultMessage["toolCallId"] {
    const wire = this.#ids.next(id);
    if (wire !== id) this.note("wire_id");
    return wire;
  }

  #interrupted(
    toolCallId: ToolResultMessage["toolCallId"],
    toolName: string,
    timestamp: number,
  ): ToolResultMessage {
    this.note("missing_result");
    const content = [{ type: "text" as const, text: INTERRUPTED }];
    return { role: "toolResult", toolCallId, toolName, content, isError: true, timestamp };
  }
}

/**
 * Makes a request that the provider takes, whatever the history holds: calls and results pair up in source order, ids fit and
 * are unique, nothing is empty or half a character, images are within limits. Only for the wire: the file keeps everything.
 * Deterministic, so that the same history gives the same bytes (a provider's cache depends on it), and idempotent.
 */
export const guardRequest = (messages: readonly ModelMessage[], target: GuardTarget): GuardedRequest => {
  const guard = new Guard(target);
  const guarded = limitImages(
    pairMessages(messages).flatMap((paired) => guard.message(paired)),
    () => guard.note("image"),
  );
  if (guarded[0]?.role === "assistant") {
    guard.note("first_message");
    const content = [{ type: "text" as const, text: "(The conversation begins with your own words.)" }];
    guarded.unshift({ role: "user", content, timestamp: guarded[0].timestamp });
  }
  return { messages: guarded, changes: guard.changes };
};
