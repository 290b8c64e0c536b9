import type { Model, ModelEvent, ModelOutcome, ModelRequest } from "@espalier/core";
import { type AssistantContent, toolCallId, type Usage } from "@espalier/protocol";
import type { Reply } from "./script.ts";

export interface StreamPace {
  /** Between two deltas, ms; 0 streams as fast as it is read. */
  readonly delayMs: number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Pieces of about three words, never half a character. */
const piecesOf = (text: string): string[] =>
  text.match(/(?:\S*\s*){1,3}/gu)?.filter((piece) => piece !== "") ?? [];

/** Raw arguments in pieces of this many characters. */
const argumentPieces = (json: string): string[] =>
  Array.from(json).reduce<string[]>((pieces, sign, index) => {
    if (index % 24 === 0) pieces.push("");
    pieces[pieces.length - 1] += sign;
    return pieces;
  }, []);

const tokens = (chars: number): number => Math.ceil(chars / 4);

/** Characters / 4, since nobody else counts. */
const usageOf = (request: ModelRequest, content: readonly AssistantContent[]): Usage => {
  const input = tokens(
    request.system.length + JSON.stringify(request.tools).length + JSON.stringify(request.messages).length,
  );
  const output = tokens(JSON.stringify(content).length);
  return {
    input,
    output,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: input + output,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
};

const hash = (text: string): string => {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value >>> 0).toString(36);
};

/** Ids that differ from step to step, and are the same for the same conversation. */
const idsFor = (request: ModelRequest): ((index: number) => string) => {
  const last = request.messages.at(-1);
  const seed = hash(`${request.sessionId} ${request.messages.length} ${last?.timestamp ?? 0}`);
  return (index) => `call_${seed}_${index}`;
};

/** Streams a reply block by block; when the signal aborts it ends with what was said so far. */
async function* streamReply(
  request: ModelRequest,
  reply: Reply,
  pace: StreamPace,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const content: AssistantContent[] = [];
  const wait = async (): Promise<boolean> => {
    if (pace.delayMs > 0) await pace.sleep(pace.delayMs, signal);
    return !signal.aborted;
  };
  const end = (stopReason: ModelOutcome["stopReason"]): ModelEvent => ({
    type: "end",
    outcome: { content, stopReason, usage: usageOf(request, content) },
  });
  const thinking = request.thinkingLevel === "off" ? "" : reply.thinking;
  for (const [kind, whole] of [
    ["thinking", thinking],
    ["text", reply.text],
  ] as const) {
    let said = "";
    const index = content.length;
    for (const piece of piecesOf(whole)) {
      if (!(await wait())) return yield end("aborted");
      said += piece;
      content[index] = kind === "text" ? { type: "text", text: said } : { type: "thinking", thinking: said };
      yield { type: kind === "text" ? "text_delta" : "thinking_delta", index, text: piece };
    }
  }
  const idOf = idsFor(request);
  for (const [number, { name, args }] of reply.calls.entries()) {
    const index = content.length;
    const unfinished = { type: "toolCall" as const, id: toolCallId(idOf(number)), name, arguments: {} };
    if (!(await wait())) return yield end("aborted");
    content[index] = { ...unfinished, argumentsError: "the answer was stopped before the call was finished" };
    yield { type: "tool_call_delta", index, text: "", name };
    for (const piece of argumentPieces(JSON.stringify(args))) {
      if (!(await wait())) return yield end("aborted");
      yield { type: "tool_call_delta", index, text: piece };
    }
    content[index] = { ...unfinished, arguments: { ...args } };
  }
  yield end(reply.calls.length > 0 ? "toolUse" : "stop");
}

/** A Model from a function that gives the reply to a request. */
export const scriptedModel = (reply: (request: ModelRequest) => Reply, pace: StreamPace): Model =>
  async function* model(request, signal): AsyncGenerator<ModelEvent> {
    if (signal.aborted) {
      yield { type: "end", outcome: { content: [], stopReason: "aborted", usage: usageOf(request, []) } };
      return;
    }
    yield* streamReply(request, reply(request), pace, signal);
  };
