import type { ModelRequest } from "@espalier/core";
import type { AssistantMessage, ModelInfo, ToolResultMessage } from "@espalier/protocol";
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import type { RequestOptions } from "../adapter.ts";
import { isObject, type JsonObject, parseJson } from "../json-access.ts";
import {
  fittingId,
  imagesOf,
  isOwn,
  NO_OUTPUT,
  outputLimit,
  ownThinking,
  textOf,
  type UsablePart,
  usableParts,
  usableText,
} from "../request-parts.ts";
import { type Quirks, quirksOf, type ThinkingFields } from "./quirks.ts";

/** OpenAI's body and what compatible servers add to it. */
export type ChatBody = ChatCompletionCreateParamsStreaming & ThinkingFields;

const toPart = (part: UsablePart): ChatCompletionContentPart =>
  part.type === "text"
    ? { type: "text", text: part.text }
    : { type: "image_url", image_url: { url: `data:${part.mimeType};base64,${part.data}` } };

/** `call|item` ids come from the Responses API; only the call's part is an id here. */
const toId = (id: string, { idLength }: Quirks): string =>
  fittingId(id.split("|")[0] ?? "", idLength, idLength === 9 ? /^[a-zA-Z0-9]{9}$/ : undefined);

const reasoningFields = ["reasoning_content", "reasoning", "reasoning_text"];

/** Thinking goes back in the field it came in: DeepSeek and others refuse a tool loop without it. */
const reasoningOf = (
  message: AssistantMessage,
  model: ModelInfo,
  { withReasoning }: RequestOptions,
): Record<string, string> => {
  if (!withReasoning) return {};
  const blocks = message.content.flatMap((block) =>
    block.type === "thinking" && ownThinking(message, model, block) ? [block] : [],
  );
  const field = blocks[0]?.thinkingSignature ?? "";
  if (!reasoningFields.includes(field)) return {};
  return { [field]: blocks.map((block) => block.thinking.toWellFormed()).join("") };
};

const detailsOf = (message: AssistantMessage, model: ModelInfo, options: RequestOptions): JsonObject[] =>
  !options.withReasoning || !isOwn(message, model)
    ? []
    : message.content.flatMap((block) => {
        const detail = block.type === "toolCall" ? parseJson(block.thoughtSignature ?? "") : undefined;
        return isObject(detail) ? [detail] : [];
      });

const toAssistant = (
  message: AssistantMessage,
  model: ModelInfo,
  quirks: Quirks,
  options: RequestOptions,
): ChatCompletionMessageParam[] => {
  const text = message.content
    .flatMap((block) => (block.type === "text" ? [usableText(block.text) ?? ""] : []))
    .join("");
  const calls = message.content.flatMap((block) =>
    block.type === "toolCall"
      ? [
          {
            type: "function" as const,
            id: toId(block.id, quirks),
            function: { name: block.name, arguments: JSON.stringify(block.arguments) },
          },
        ]
      : [],
  );
  if (text === "" && calls.length === 0) return [];
  const details = detailsOf(message, model, options);
  const result: ChatCompletionAssistantMessageParam & Record<string, unknown> = {
    role: "assistant",
    content: text === "" ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...reasoningOf(message, model, options),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
  };
  return [result];
};

const toMessages = (
  request: ModelRequest,
  quirks: Quirks,
  options: RequestOptions,
): ChatCompletionMessageParam[] => {
  const messages: ChatCompletionMessageParam[] = [];
  /** Images of results: a tool message holds text only, so they follow the batch as a user message. */
  let seen: ChatCompletionContentPart[] = [];
  const showImages = (): void => {
    if (seen.length > 0) messages.push({ role: "user", content: seen });
    seen = [];
  };
  const addResult = (message: ToolResultMessage): void => {
    const parts = usableParts(message.content, request.model);
    const images = imagesOf(parts);
    const content = textOf(parts) || (images.length > 0 ? "(an image, shown below)" : NO_OUTPUT);
    messages.push({ role: "tool", tool_call_id: toId(message.toolCallId, quirks), content });
    if (images.length > 0) {
      seen.push({ type: "text", text: `Image from ${message.toolName}:` }, ...images.map(toPart));
    }
  };
  for (const message of request.messages) {
    if (message.role !== "toolResult") showImages();
    switch (message.role) {
      case "user": {
        const parts = usableParts(message.content, request.model);
        if (parts.length === 0) break;
        const plain = imagesOf(parts).length === 0;
        messages.push({ role: "user", content: plain ? textOf(parts) : parts.map(toPart) });
        break;
      }
      case "assistant":
        messages.push(...toAssistant(message, request.model, quirks, options));
        break;
      case "toolResult":
        addResult(message);
        break;
    }
  }
  showImages();
  return messages;
};

/** The body of a Chat Completions request, in the dialect of the server at `baseUrl`. */
export const toChatRequest = (request: ModelRequest, baseUrl: string, options: RequestOptions): ChatBody => {
  const { model } = request;
  const quirks = quirksOf(baseUrl);
  const system = usableText(request.system);
  const messages = toMessages(request, quirks, options);
  return {
    model: model.id,
    stream: true,
    messages: system === null ? messages : [{ role: "system", content: system }, ...messages],
    [quirks.maxTokens]: outputLimit(request),
    ...(quirks.streamOptions ? { stream_options: { include_usage: true } } : {}),
    ...(quirks.openAiFields ? { store: false, prompt_cache_key: fittingId(request.sessionId, 64) } : {}),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, parameters }) => ({
            type: "function" as const,
            function: { name, description, parameters },
          })),
        }),
    ...(model.reasoning ? quirks.thinking(model, request.thinkingLevel) : {}),
  };
};
