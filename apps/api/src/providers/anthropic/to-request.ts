import type {
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  Tool,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import type { ModelRequest } from "@espalier/core";
import type { AssistantMessage, ImageContent, ModelInfo, ToolResultMessage } from "@espalier/protocol";
import type { RequestOptions } from "../adapter.ts";
import {
  fittingId,
  NO_OUTPUT,
  outputLimit,
  ownThinking,
  type UsablePart,
  usableParts,
  usableText,
} from "../request-parts.ts";
import { thinkingFor } from "./thinking.ts";

const ID_LENGTH = 64;
const cached = { cache_control: { type: "ephemeral" } } as const;

const mediaTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

const toImage = ({ data, mimeType }: ImageContent): ImageBlockParam | TextBlockParam => {
  const known = mediaTypes.find((type) => type === mimeType);
  if (known === undefined) return { type: "text", text: `(An image of type ${mimeType} stood here.)` };
  return { type: "image", source: { type: "base64", media_type: known, data } };
};

const toPart = (part: UsablePart): ImageBlockParam | TextBlockParam =>
  part.type === "text" ? { type: "text", text: part.text } : toImage(part);

const toAssistant = (
  message: AssistantMessage,
  model: ModelInfo,
  { withReasoning }: RequestOptions,
): ContentBlockParam[] =>
  message.content.flatMap((block): ContentBlockParam[] => {
    switch (block.type) {
      case "text": {
        const text = usableText(block.text);
        return text === null ? [] : [{ type: "text", text }];
      }
      case "thinking": {
        if (!withReasoning || !ownThinking(message, model, block)) return [];
        const signature = block.thinkingSignature ?? "";
        if (block.redacted) return [{ type: "redacted_thinking", data: signature }];
        return [{ type: "thinking", thinking: block.thinking, signature }];
      }
      case "toolCall":
        return [
          {
            type: "tool_use",
            id: fittingId(block.id, ID_LENGTH),
            name: block.name,
            input: block.arguments,
          },
        ];
    }
  });

/** A result; images of a failed one stand behind it, since an error may hold text only. */
const toResult = (
  message: ToolResultMessage,
  model: ModelInfo,
): { result: ToolResultBlockParam; after: ContentBlockParam[] } => {
  const parts = usableParts(message.content, model).map(toPart);
  const words = parts.filter((part) => part.type === "text");
  const inside = message.isError ? words : parts;
  const content = inside.length > 0 ? inside : [{ type: "text" as const, text: NO_OUTPUT }];
  const only = content.length === 1 ? content[0] : undefined;
  return {
    result: {
      type: "tool_result",
      tool_use_id: fittingId(message.toolCallId, ID_LENGTH),
      content: only?.type === "text" ? only.text : content,
      ...(message.isError ? { is_error: true } : {}),
    },
    after: message.isError ? parts.filter((part) => part.type === "image") : [],
  };
};

/** Results of one batch stand in one message and come first in it. */
const toMessages = (request: ModelRequest, options: RequestOptions): MessageParam[] => {
  const messages: { role: "user" | "assistant"; results: ContentBlockParam[]; rest: ContentBlockParam[] }[] =
    [];
  const add = (role: "user" | "assistant", results: ContentBlockParam[], rest: ContentBlockParam[]): void => {
    if (results.length + rest.length === 0) return;
    const last = messages.at(-1);
    if (last?.role === role && (role === "user" || last.results.length === 0)) {
      last.results.push(...results);
      last.rest.push(...rest);
    } else messages.push({ role, results, rest });
  };
  for (const message of request.messages) {
    switch (message.role) {
      case "user":
        add("user", [], usableParts(message.content, request.model).map(toPart));
        break;
      case "assistant":
        add("assistant", [], toAssistant(message, request.model, options));
        break;
      case "toolResult": {
        const { result, after } = toResult(message, request.model);
        add("user", [result], after);
        break;
      }
    }
  }
  return messages.map(({ role, results, rest }) => ({ role, content: [...results, ...rest] }));
};

/** Marks the last block of the last user message: all before it is read from the cache next time. */
const markLast = (messages: MessageParam[]): MessageParam[] => {
  const last = messages.at(-1);
  const block = typeof last?.content === "string" ? undefined : last?.content.at(-1);
  if (last?.role !== "user" || typeof last.content === "string" || block === undefined) return messages;
  if (block.type !== "text" && block.type !== "image" && block.type !== "tool_result") return messages;
  const marked: ContentBlockParam = { ...block, ...cached };
  return [...messages.slice(0, -1), { role: "user", content: [...last.content.slice(0, -1), marked] }];
};

const toTools = ({ tools }: ModelRequest): Tool[] =>
  tools.map(({ name, description, parameters }, index) => ({
    name,
    description,
    input_schema: { ...parameters, type: "object" },
    ...(index === tools.length - 1 ? cached : {}),
  }));

/** The body of a Messages request. Three cache marks: the last tool, the system prompt, the last user block. */
export const toAnthropicRequest = (
  request: ModelRequest,
  options: RequestOptions,
): MessageCreateParamsStreaming => {
  const { model } = request;
  const maxTokens = outputLimit(request);
  const system = usableText(request.system);
  const thinking = thinkingFor(model.id, model.reasoning, request.thinkingLevel, maxTokens);
  // A budgeted model insists on its thinking before calls, so without that it must not be asked to think.
  const budgeted = thinking.thinking?.type === "enabled";
  return {
    model: model.id,
    max_tokens: maxTokens,
    stream: true,
    messages: markLast(toMessages(request, options)),
    ...(system === null ? {} : { system: [{ type: "text", text: system, ...cached }] }),
    ...(request.tools.length === 0 ? {} : { tools: toTools(request) }),
    ...(budgeted && !options.withReasoning ? {} : thinking),
  };
};
