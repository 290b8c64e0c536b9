import { isObject, type JsonObject, parseJson } from "./json-access.ts";
import type { SseFrame } from "./sse-reader.ts";
import type {
  DeltaEvent,
  ReadBlock,
  ReadToolCall,
  ReadUsage,
  StreamReader,
  StreamReading,
} from "./stream-reading.ts";

interface OpenCall {
  type: "toolCall";
  /** Index of the block in the answer. A block of text has none before it holds anything: servers open blocks in vain. */
  index: number | null;
  id: string;
  itemId: string | undefined;
  name: string;
  raw: string;
  /** Arguments a server sent as an object and not as text. */
  given: JsonObject | undefined;
  /** The API said that this call is finished. */
  closed: boolean;
  signature: string | undefined;
}

interface OpenText {
  type: "text" | "refusal" | "thinking";
  index: number | null;
  text: string;
  signature: string | undefined;
  redacted: boolean;
}

export type OpenBlock = OpenCall | OpenText;

/** Where an adapter's handlers put what they find; it keeps the blocks in order and tells the deltas. */
export class ReadingBuilder {
  readonly api: StreamReading["api"];
  readonly #blocks: OpenBlock[] = [];
  model: string | null = null;
  id: string | null = null;
  stopReason: string | null = null;
  stopDetail: string | null = null;
  usage: ReadUsage | null = null;
  usageRaw: JsonObject | null = null;
  error: unknown = null;
  completed = false;
  endedByUsage = false;
  badJson = 0;
  #events: DeltaEvent[] = [];
  #published = 0;

  constructor(api: StreamReading["api"]) {
    this.api = api;
  }

  /** Handle of a new block of text. */
  openText(type: OpenText["type"]): number {
    return this.#blocks.push({ type, index: null, text: "", signature: undefined, redacted: false }) - 1;
  }

  /** Handle of a new call. */
  openCall(id: string, name: string, itemId?: string): number {
    const index = this.#published++;
    const handle = this.#blocks.push({
      type: "toolCall",
      index,
      id,
      itemId,
      name,
      raw: "",
      given: undefined,
      closed: false,
      signature: undefined,
    });
    this.#events.push({ type: "tool_call_delta", index, text: "", name });
    return handle - 1;
  }

  call(handle: number): OpenCall | null {
    const block = this.#blocks[handle];
    return block?.type === "toolCall" ? block : null;
  }

  /** A block of text; null for a call or an unknown handle. */
  prose(handle: number): OpenText | null {
    const block = this.#blocks[handle];
    return block === undefined || block.type === "toolCall" ? null : block;
  }

  /** Adds a piece of the opaque text that goes back with a block. A thinking block may hold nothing else. */
  sign(handle: number, piece: string): void {
    const block = this.#blocks[handle];
    if (block === undefined || piece === "") return;
    block.signature = (block.signature ?? "") + piece;
    if (block.type === "thinking") block.index ??= this.#published++;
  }

  /** Adds to a block: text, or of a call its raw arguments. */
  append(handle: number, text: string): void {
    const block = this.#blocks[handle];
    if (block === undefined || text === "") return;
    block.index ??= this.#published++;
    const { index } = block;
    switch (block.type) {
      case "toolCall":
        block.raw += text;
        this.#events.push({ type: "tool_call_delta", index, text });
        return;
      case "thinking":
        block.text += text;
        this.#events.push({ type: "thinking_delta", index, text });
        return;
      case "text":
      case "refusal":
        block.text += text;
        this.#events.push({ type: "text_delta", index, text });
        return;
    }
  }

  /** Closes a call with its arguments as the server repeats them at the end; they win over the pieces. */
  closeCall(handle: number, whole?: string): void {
    const call = this.call(handle);
    if (!call) return;
    if (whole !== undefined && whole !== call.raw) {
      if (whole.startsWith(call.raw)) this.append(handle, whole.slice(call.raw.length));
      call.raw = whole;
    }
    call.closed = true;
  }

  takeEvents(): DeltaEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  reading(): StreamReading {
    const ended = this.stopReason !== null || this.completed || this.endedByUsage;
    const blocks = this.#blocks
      .filter((block) => block.index !== null)
      .sort((a, b) => (a.index ?? 0) - (b.index ?? 0))
      .map((block) => readBlock(block, ended));
    const textOf = (type: ReadBlock["type"]): string =>
      blocks.map((block) => (block.type === type && "text" in block ? block.text : "")).join("");
    const { api, model, id, stopReason, stopDetail, usage, usageRaw, error, completed, badJson } = this;
    return {
      api,
      model,
      id,
      text: textOf("text"),
      reasoning: textOf("thinking"),
      refusal: textOf("refusal"),
      toolCalls: blocks.flatMap((block) => (block.type === "toolCall" ? [block.call] : [])),
      stopReason,
      stopDetail,
      usage,
      usageRaw,
      error,
      completed,
      ended,
      blocks,
      badJson,
    };
  }
}

const readBlock = (block: OpenBlock, ended: boolean): ReadBlock => {
  const signature = block.signature === undefined ? {} : { signature: block.signature };
  switch (block.type) {
    case "toolCall":
      return { type: "toolCall", call: { ...readCall(block, ended), ...signature } };
    case "text":
      return { type: "text", text: block.text, ...signature };
    case "refusal":
      return { type: "refusal", text: block.text };
    case "thinking":
      return {
        type: "thinking",
        text: block.text,
        ...signature,
        ...(block.redacted ? { redacted: true } : {}),
      };
  }
};

/**
 * Strict: the arguments are what `JSON.parse` makes of all the text, or nothing; a repaired half would run with half its
 * content. No text at all means no arguments, as every API sends it for tools without parameters.
 */
const readCall = (call: OpenCall, ended: boolean): ReadToolCall => {
  const parsed = call.raw.trim() === "" ? (call.given ?? {}) : parseJson(call.raw);
  const args = isObject(parsed) ? parsed : null;
  return {
    id: call.id,
    ...(call.itemId === undefined ? {} : { itemId: call.itemId }),
    name: call.name,
    arguments: args,
    argumentsRaw: call.raw,
    complete: args !== null && (call.closed || ended),
  };
};

export type Handler = (data: JsonObject) => void;

/**
 * A reader over a table of handlers. The type is the data's own `type`, or the frame's event name, or "" where the API has
 * neither. A handler that throws would be a bug of ours; it costs its own frame and not the stream.
 */
export const readerOf = (
  builder: ReadingBuilder,
  handlers: ReadonlyMap<string, Handler>,
  fallback?: Handler,
): StreamReader => {
  const handle = (frame: SseFrame): void => {
    if (frame.data.trim() === "[DONE]") {
      handlers.get("[DONE]")?.({});
      return;
    }
    const data = parseJson(frame.data);
    if (!isObject(data)) {
      builder.badJson += 1;
      return;
    }
    const type = typeof data.type === "string" ? data.type : frame.event;
    (handlers.get(type) ?? fallback)?.(data);
  };
  return {
    push: (frame) => {
      try {
        handle(frame);
      } catch (error) {
        builder.error ??= {
          message: `unreadable event: ${error instanceof Error ? error.message : String(error)}`,
        };
      }
      return builder.takeEvents();
    },
    isDone: () => builder.completed,
    reading: () => builder.reading(),
  };
};
