import { isObject, type JsonObject, listAt, numberAt, objectAt, stringAt } from "../json-access.ts";
import { type Handler, ReadingBuilder, readerOf } from "../reading-builder.ts";
import type { StreamReader } from "../stream-reading.ts";

/** Fields in which servers send reasoning as text; the first one a server uses goes back to it with the message. */
const reasoningFields = ["reasoning_content", "reasoning", "reasoning_text"] as const;

const readUsage = (builder: ReadingBuilder, usage: JsonObject | null): void => {
  if (!usage) return;
  const prompt = objectAt(usage, "prompt_tokens_details");
  builder.usageRaw = usage;
  builder.usage = {
    input: numberAt(usage, "prompt_tokens"),
    output: numberAt(usage, "completion_tokens"),
    total: numberAt(usage, "total_tokens"),
    cacheRead: numberAt(prompt, "cached_tokens"),
    reasoning: numberAt(objectAt(usage, "completion_tokens_details"), "reasoning_tokens"),
  };
};

/** Text of a content part, or of a list of them: Mistral sends its thinking as a list inside a part. */
const textOf = (value: unknown): string =>
  typeof value === "string"
    ? value
    : Array.isArray(value)
      ? value.map(textOf).join("")
      : (stringAt(value, "text") ?? "");

interface Call {
  readonly handle: number;
  /** Whether the server gave the id; ours may still be replaced by its. */
  hasId: boolean;
}

/** Turns `delta` objects into blocks: text and thinking run on until the kind changes, calls are joined by their index. */
class DeltaReader {
  readonly #builder: ReadingBuilder;
  readonly #byIndex = new Map<string, Call>();
  #last: Call | null = null;
  #calls = 0;
  #prose: { readonly type: "text" | "refusal" | "thinking"; readonly handle: number } | null = null;
  /** Opaque reasoning by the id of the call it belongs to (Gemini through OpenRouter). */
  readonly #details = new Map<string, JsonObject>();

  constructor(builder: ReadingBuilder) {
    this.#builder = builder;
  }

  read(delta: JsonObject, choice: number): void {
    this.#readReasoning(delta);
    this.#readContent(delta.content);
    this.#write("refusal", stringAt(delta, "refusal") ?? "");
    for (const call of listAt(delta, "tool_calls")) if (isObject(call)) this.#readCall(call, choice);
  }

  #write(type: "text" | "refusal" | "thinking", text: string, field?: string): void {
    if (text === "") return;
    if (this.#prose?.type !== type) {
      this.#prose = { type, handle: this.#builder.openText(type) };
      if (field !== undefined) this.#builder.sign(this.#prose.handle, field);
    }
    this.#builder.append(this.#prose.handle, text);
  }

  #readContent(content: unknown): void {
    if (typeof content === "string") return this.#write("text", content);
    if (!Array.isArray(content)) return;
    for (const part of content) {
      if (stringAt(part, "type") === "thinking" && isObject(part))
        this.#write("thinking", textOf(part.thinking));
      else this.#write("text", textOf(part));
    }
  }

  /** Several fields of one delta hold the same thought: the first that is not empty is taken. */
  #readReasoning(delta: JsonObject): void {
    const details = listAt(delta, "reasoning_details").filter(isObject);
    for (const detail of details) {
      const id = stringAt(detail, "id");
      if (id && stringAt(detail, "type") === "reasoning.encrypted") this.#details.set(id, detail);
    }
    const field = reasoningFields.find((name) => stringAt(delta, name));
    if (field !== undefined) return this.#write("thinking", stringAt(delta, field) ?? "", field);
    const said = details
      .map((detail) => stringAt(detail, "text") ?? stringAt(detail, "summary") ?? "")
      .join("");
    this.#write("thinking", said, "reasoning");
  }

  /**
   * The index says which call a piece belongs to. Where it is missing, an id that is not the last one opens a call; where
   * one index is used for several calls, a new id with a name does.
   */
  #readCall(piece: JsonObject, choice: number): void {
    const fn = objectAt(piece, "function");
    const id = stringAt(piece, "id") ?? "";
    const name = stringAt(fn, "name") ?? "";
    const index = numberAt(piece, "index");
    const key = index === null ? null : `${choice}/${index}`;
    const known = key === null ? this.#last : (this.#byIndex.get(key) ?? null);
    const isOther = known?.hasId && id !== "" && name !== "" && this.#builder.call(known.handle)?.id !== id;
    const call =
      known && !isOther && (key !== null || id === "" || this.#builder.call(known.handle)?.id === id)
        ? known
        : this.#open(id, name);
    if (key !== null) this.#byIndex.set(key, call);
    this.#last = call;
    this.#complete(call, id, name);
    const args = fn?.arguments;
    if (typeof args === "string") this.#builder.append(call.handle, args);
    else if (isObject(args)) this.#builder.append(call.handle, JSON.stringify(args));
  }

  #open(id: string, name: string): Call {
    this.#prose = null;
    const made = `call_${this.#calls++}`;
    const tail = (this.#builder.id ?? "").replaceAll(/[^a-zA-Z0-9]/g, "").slice(-12);
    const own = tail === "" ? made : `${made}_${tail}`;
    return { handle: this.#builder.openCall(id === "" ? own : id, name), hasId: id !== "" };
  }

  /** Id and name may come late; a name may come in pieces before the arguments begin, and be repeated in each delta. */
  #complete(call: Call, id: string, name: string): void {
    const open = this.#builder.call(call.handle);
    if (!open) return;
    if (!call.hasId && id !== "") {
      open.id = id;
      call.hasId = true;
    }
    if (name !== "" && open.name === "") open.name = name;
    else if (name !== "" && open.name !== name && open.raw === "" && !open.name.endsWith(name))
      open.name += name;
    const detail = this.#details.get(open.id);
    if (detail && open.signature === undefined) open.signature = JSON.stringify(detail);
  }
}

/** Reads a stream of the OpenAI Chat Completions API as OpenAI and two dozen compatible servers send it. */
export const createChatReader = (): StreamReader => {
  const builder = new ReadingBuilder("openai-completions");
  const deltas = new DeltaReader(builder);

  const choiceOf = (choice: JsonObject): void => {
    const delta = objectAt(choice, "delta") ?? objectAt(choice, "message");
    if (delta) deltas.read(delta, numberAt(choice, "index") ?? 0);
    builder.stopReason = stringAt(choice, "finish_reason") ?? builder.stopReason;
    builder.stopDetail = stringAt(choice, "native_finish_reason") ?? builder.stopDetail;
    readUsage(builder, objectAt(choice, "usage"));
    if (choice.error) builder.error = choice.error;
  };
  const chunk: Handler = (data) => {
    builder.id = stringAt(data, "id") || builder.id;
    builder.model = stringAt(data, "model") || builder.model;
    const choices = listAt(data, "choices").filter(isObject);
    for (const choice of choices) choiceOf(choice);
    const usage = objectAt(data, "usage") ?? objectAt(objectAt(data, "x_groq"), "usage");
    readUsage(builder, usage);
    if (usage && choices.length === 0) builder.endedByUsage = true;
    if (data.error) builder.error = data.error;
  };

  return readerOf(
    builder,
    new Map<string, Handler>([
      [
        "[DONE]",
        () => {
          builder.completed = true;
        },
      ],
    ]),
    chunk,
  );
};
