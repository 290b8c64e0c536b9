import { isObject, type JsonObject, listAt, numberAt, objectAt, stringAt } from "../json-access.ts";
import { type Handler, ReadingBuilder, readerOf } from "../reading-builder.ts";
import type { StreamReader } from "../stream-reading.ts";

/** An output item of ours by its place in the answer; other kinds (tools the provider runs itself) have no handles. */
interface Item {
  readonly type: string;
  /** Handle of a call, or of the block that text goes to now. */
  text: number | null;
  refusal: number | null;
  thinking: number | null;
  call: number | null;
  /** A further summary part begins: set it off from the one before. */
  newPart: boolean;
}

const readUsage = (builder: ReadingBuilder, usage: JsonObject | null): void => {
  if (!usage) return;
  builder.usageRaw = usage;
  builder.usage = {
    input: numberAt(usage, "input_tokens"),
    output: numberAt(usage, "output_tokens"),
    total: numberAt(usage, "total_tokens"),
    cacheRead: numberAt(objectAt(usage, "input_tokens_details"), "cached_tokens"),
    reasoning: numberAt(objectAt(usage, "output_tokens_details"), "reasoning_tokens"),
  };
};

/**
 * Items are joined by `output_index`: Azure and Copilot change item ids between events of one item. Text and arguments are
 * taken from the deltas; what an item repeats when it is done only fills in what never came.
 */
class ItemReader {
  readonly #builder: ReadingBuilder;
  readonly #items = new Map<number, Item>();
  #last = 0;

  constructor(builder: ReadingBuilder) {
    this.#builder = builder;
  }

  #placeOf(data: JsonObject): number {
    return numberAt(data, "output_index") ?? this.#last;
  }

  #itemOf(data: JsonObject, type: string): Item {
    const place = this.#placeOf(data);
    this.#last = place;
    const known = this.#items.get(place);
    if (known) return known;
    const item: Item = { type, text: null, refusal: null, thinking: null, call: null, newPart: false };
    this.#items.set(place, item);
    return item;
  }

  readonly added: Handler = (data) => {
    const source = objectAt(data, "item");
    if (!source) return;
    const item = this.#itemOf(data, stringAt(source, "type") ?? "");
    if (item.type === "function_call" && item.call === null) item.call = this.#openCall(source);
  };

  #openCall(source: JsonObject): number {
    const id = stringAt(source, "call_id") ?? stringAt(source, "id") ?? "";
    const handle = this.#builder.openCall(
      id,
      stringAt(source, "name") ?? "",
      stringAt(source, "id") ?? undefined,
    );
    this.#builder.append(handle, stringAt(source, "arguments") ?? "");
    return handle;
  }

  readonly text: Handler = (data) => {
    const item = this.#itemOf(data, "message");
    item.text ??= this.#builder.openText("text");
    this.#builder.append(item.text, stringAt(data, "delta") ?? "");
  };

  readonly refusal: Handler = (data) => {
    const item = this.#itemOf(data, "message");
    item.refusal ??= this.#builder.openText("refusal");
    this.#builder.append(item.refusal, stringAt(data, "delta") ?? "");
  };

  readonly summaryPart: Handler = (data) => {
    this.#itemOf(data, "reasoning").newPart = true;
  };

  readonly thinking: Handler = (data) => {
    this.#think(this.#itemOf(data, "reasoning"), stringAt(data, "delta") ?? "");
  };

  #think(item: Item, text: string): void {
    item.thinking ??= this.#builder.openText("thinking");
    const before = this.#builder.prose(item.thinking)?.text ?? "";
    if (item.newPart && before !== "" && text !== "") this.#builder.append(item.thinking, "\n\n");
    if (text !== "") item.newPart = false;
    this.#builder.append(item.thinking, text);
  }

  readonly arguments: Handler = (data) => {
    const item = this.#itemOf(data, "function_call");
    item.call ??= this.#openCall(data);
    this.#builder.append(item.call, stringAt(data, "delta") ?? "");
  };

  readonly argumentsDone: Handler = (data) => {
    const item = this.#itemOf(data, "function_call");
    item.call ??= this.#openCall({ id: data.item_id, name: data.name, call_id: data.call_id });
    this.#builder.closeCall(item.call, stringAt(data, "arguments") ?? undefined);
  };

  readonly done: Handler = (data) => {
    const source = objectAt(data, "item");
    if (!source) return;
    const item = this.#itemOf(data, stringAt(source, "type") ?? "");
    switch (stringAt(source, "type") ?? "") {
      case "function_call":
        return this.#callDone(item, source);
      case "message":
        return this.#messageDone(item, source);
      case "reasoning":
        return this.#reasoningDone(item, source);
      default:
        return undefined;
    }
  };

  #callDone(item: Item, source: JsonObject): void {
    item.call ??= this.#openCall(source);
    this.#builder.closeCall(item.call, stringAt(source, "arguments") ?? undefined);
  }

  /** Id and phase of a message go back with its text, in the form pi writes them. */
  #messageDone(item: Item, source: JsonObject): void {
    const parts = listAt(source, "content");
    if (item.text === null) {
      const text = parts.map((part) => stringAt(part, "text") ?? "").join("");
      item.text = this.#builder.openText("text");
      this.#builder.append(item.text, text);
    }
    if (item.refusal === null) {
      item.refusal = this.#builder.openText("refusal");
      this.#builder.append(item.refusal, parts.map((part) => stringAt(part, "refusal") ?? "").join(""));
    }
    const id = stringAt(source, "id");
    const phase = stringAt(source, "phase");
    if (id) this.#builder.sign(item.text, JSON.stringify({ v: 1, id, ...(phase ? { phase } : {}) }));
  }

  /** The whole item goes back to the model that made it, encrypted or not: it is the signature of its block. */
  #reasoningDone(item: Item, source: JsonObject): void {
    item.thinking ??= this.#builder.openText("thinking");
    if (!this.#builder.prose(item.thinking)?.text) {
      for (const part of [...listAt(source, "summary"), ...listAt(source, "content")]) {
        item.newPart = true;
        this.#think(item, stringAt(part, "text") ?? "");
      }
    }
    const { status: _status, ...kept } = source;
    if (stringAt(source, "encrypted_content")) this.#builder.sign(item.thinking, JSON.stringify(kept));
  }

  /** The terminal event repeats all items; some servers send nothing before it. */
  fill(response: JsonObject): void {
    for (const [place, source] of listAt(response, "output").entries()) {
      if (this.#items.has(place) || !isObject(source)) continue;
      this.added({ output_index: place, item: source });
      this.done({ output_index: place, item: source });
    }
  }
}

/** Reads a stream of the OpenAI Responses API. */
export const createResponsesReader = (): StreamReader => {
  const builder = new ReadingBuilder("openai-responses");
  const items = new ItemReader(builder);

  const about = (data: JsonObject): JsonObject => {
    const response = objectAt(data, "response") ?? {};
    builder.id = stringAt(response, "id") ?? builder.id;
    builder.model = stringAt(response, "model") ?? builder.model;
    return response;
  };
  const end: Handler = (data) => {
    const response = about(data);
    items.fill(response);
    readUsage(builder, objectAt(response, "usage"));
    builder.stopReason = stringAt(response, "status") ?? builder.stopReason;
    builder.stopDetail = stringAt(objectAt(response, "incomplete_details"), "reason");
    builder.error = objectAt(response, "error") ?? builder.error;
    builder.completed = true;
  };
  const failed: Handler = (data) => {
    const { type: _type, sequence_number: _number, ...flat } = data;
    builder.error = isObject(data.error) ? data.error : flat;
  };

  return readerOf(
    builder,
    new Map<string, Handler>([
      ["response.created", about],
      ["response.in_progress", about],
      ["response.output_item.added", items.added],
      ["response.output_item.done", items.done],
      ["response.output_text.delta", items.text],
      ["response.refusal.delta", items.refusal],
      ["response.reasoning_summary_part.added", items.summaryPart],
      ["response.reasoning_summary_text.delta", items.thinking],
      ["response.reasoning_text.delta", items.thinking],
      ["response.function_call_arguments.delta", items.arguments],
      ["response.function_call_arguments.done", items.argumentsDone],
      ["response.completed", end],
      ["response.incomplete", end],
      ["response.failed", end],
      ["error", failed],
    ]),
  );
};
