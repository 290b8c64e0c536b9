import { isObject, type JsonObject, numberAt, objectAt, stringAt } from "../json-access.ts";
import { type Handler, ReadingBuilder, readerOf } from "../reading-builder.ts";
import type { ReadUsage, StreamReader } from "../stream-reading.ts";

/** Place of a content block that becomes no block of ours: a tool the provider runs itself, its result, a marker. */
const NOT_OURS = -1;

/** Keeps the last number said: `message_start` has the input, `message_delta` the output and sometimes all again. */
const mergeUsage = (builder: ReadingBuilder, usage: JsonObject | null): void => {
  if (!usage) return;
  const before: ReadUsage = builder.usage ?? { input: null, output: null, cacheRead: null, cacheWrite: null };
  builder.usage = {
    input: numberAt(usage, "input_tokens") ?? before.input,
    output: numberAt(usage, "output_tokens") ?? before.output,
    cacheRead: numberAt(usage, "cache_read_input_tokens") ?? before.cacheRead,
    cacheWrite: numberAt(usage, "cache_creation_input_tokens") ?? before.cacheWrite ?? null,
  };
  const said = Object.entries(usage).filter(([, value]) => value !== null);
  builder.usageRaw = { ...builder.usageRaw, ...Object.fromEntries(said) };
};

const withText = (builder: ReadingBuilder, type: "text" | "thinking", text: string | null): number => {
  const handle = builder.openText(type);
  builder.append(handle, text ?? "");
  return handle;
};

const withRedacted = (builder: ReadingBuilder, data: string | null): number => {
  const handle = builder.openText("thinking");
  const prose = builder.prose(handle);
  if (prose) prose.redacted = true;
  builder.sign(handle, data ?? "");
  return handle;
};

const withCall = (builder: ReadingBuilder, block: JsonObject): number => {
  const handle = builder.openCall(stringAt(block, "id") ?? "", stringAt(block, "name") ?? "");
  const call = builder.call(handle);
  const input = objectAt(block, "input");
  // Compatible servers send the whole input here and no deltas.
  if (call && input && Object.keys(input).length > 0) call.given = input;
  return handle;
};

/** The content blocks of one message, by their index in it. */
class ContentBlocks {
  readonly #builder: ReadingBuilder;
  #handles = new Map<number, number>();
  /** Signatures come in pieces and hold only when their block has ended: half a one would be refused for ever. */
  #signatures = new Map<number, string>();

  constructor(builder: ReadingBuilder) {
    this.#builder = builder;
  }

  #handleOf(data: JsonObject): number {
    return this.#handles.get(numberAt(data, "index") ?? 0) ?? NOT_OURS;
  }

  startMessage(): void {
    this.#handles = new Map();
    this.#signatures = new Map();
  }

  readonly start: Handler = (data) => {
    const block = objectAt(data, "content_block");
    if (block) this.#handles.set(numberAt(data, "index") ?? 0, this.#open(block));
  };

  #open(block: JsonObject): number {
    switch (stringAt(block, "type") ?? "") {
      case "text":
        return withText(this.#builder, "text", stringAt(block, "text"));
      case "thinking": {
        const handle = withText(this.#builder, "thinking", stringAt(block, "thinking"));
        this.#sign(handle, stringAt(block, "signature"));
        return handle;
      }
      case "redacted_thinking":
        return withRedacted(this.#builder, stringAt(block, "data"));
      case "tool_use":
        return withCall(this.#builder, block);
      default:
        return NOT_OURS;
    }
  }

  #sign(handle: number, piece: string | null): void {
    if (piece) this.#signatures.set(handle, (this.#signatures.get(handle) ?? "") + piece);
  }

  readonly delta: Handler = (data) => {
    const delta = objectAt(data, "delta");
    const handle = this.#handleOf(data);
    switch (stringAt(delta, "type") ?? "") {
      case "text_delta":
        return this.#builder.append(handle, stringAt(delta, "text") ?? "");
      case "thinking_delta":
        return this.#builder.append(handle, stringAt(delta, "thinking") ?? "");
      case "signature_delta":
        return this.#sign(handle, stringAt(delta, "signature"));
      case "input_json_delta":
        return this.#builder.append(handle, stringAt(delta, "partial_json") ?? "");
      default:
        return undefined;
    }
  };

  readonly stop: Handler = (data) => {
    const handle = this.#handleOf(data);
    this.#builder.sign(handle, this.#signatures.get(handle) ?? "");
    this.#builder.closeCall(handle);
  };
}

/** Reads a stream of the Anthropic Messages API. Several messages in one stream are read as one answer, blocks in order. */
export const createAnthropicReader = (): StreamReader => {
  const builder = new ReadingBuilder("anthropic-messages");
  const blocks = new ContentBlocks(builder);

  const messageStart: Handler = (data) => {
    const message = objectAt(data, "message");
    builder.id = stringAt(message, "id") ?? builder.id;
    builder.model = stringAt(message, "model") ?? builder.model;
    builder.completed = false;
    blocks.startMessage();
    mergeUsage(builder, objectAt(message, "usage"));
  };
  const messageDelta: Handler = (data) => {
    const delta = objectAt(data, "delta");
    builder.stopReason = stringAt(delta, "stop_reason") ?? builder.stopReason;
    builder.stopDetail =
      stringAt(objectAt(delta, "stop_details"), "explanation") ??
      stringAt(delta, "stop_sequence") ??
      builder.stopDetail;
    mergeUsage(builder, objectAt(data, "usage"));
  };
  const messageStop: Handler = () => {
    builder.completed = true;
  };
  const failed: Handler = (data) => {
    builder.error = isObject(data.error) ? data.error : data;
  };

  return readerOf(
    builder,
    new Map<string, Handler>([
      ["message_start", messageStart],
      ["content_block_start", blocks.start],
      ["content_block_delta", blocks.delta],
      ["content_block_stop", blocks.stop],
      ["message_delta", messageDelta],
      ["message_stop", messageStop],
      ["error", failed],
    ]),
  );
};
