import type { ModelRequest } from "@espalier/core";
import type { AssistantMessage, ModelInfo, TextContent, ToolResultMessage } from "@espalier/protocol";
import type {
  EasyInputMessage,
  ResponseCreateParamsStreaming,
  ResponseFunctionCallOutputItem,
  ResponseInputContent,
  ResponseInputItem,
  ResponseReasoningItem,
} from "openai/resources/responses/responses";
import type { RequestOptions } from "../adapter.ts";
import { isObject, listAt, parseJson, stringAt } from "../json-access.ts";
import { effortFor } from "../openai-effort.ts";
import {
  fittingId,
  isOwn,
  NO_OUTPUT,
  outputLimit,
  ownThinking,
  textOf,
  type UsablePart,
  usableParts,
  usableText,
} from "../request-parts.ts";

const ID_LENGTH = 64;

const toPart = (part: UsablePart): Extract<ResponseInputContent, { type: "input_text" | "input_image" }> =>
  part.type === "text"
    ? { type: "input_text", text: part.text }
    : { type: "input_image", detail: "auto", image_url: `data:${part.mimeType};base64,${part.data}` };

/** pi writes `call|item`, we write `call`. The call's part names the pair; the item's is good only for its own model. */
const idsOf = (id: string): { call: string; item: string | undefined } => {
  const [call = "", item] = id.split("|");
  return { call: fittingId(call, ID_LENGTH), item };
};

/** The reasoning item kept as a signature, if it is one and holds what the server can read back. */
const reasoningItem = (signature: string): ResponseReasoningItem | null => {
  const item = parseJson(signature);
  const encrypted = stringAt(item, "encrypted_content");
  const id = stringAt(item, "id");
  if (stringAt(item, "type") !== "reasoning" || encrypted === null) return null;
  const summary = listAt(item, "summary").flatMap((part) => {
    const text = stringAt(part, "text");
    return text === null ? [] : [{ type: "summary_text" as const, text }];
  });
  return { type: "reasoning", id: id ?? "", summary, encrypted_content: encrypted };
};

const isPhase = (value: unknown): value is "commentary" | "final_answer" =>
  value === "commentary" || value === "final_answer";

/** Text with its phase; the id goes back as well when it is one of OpenAI's own. */
const toText = (block: TextContent, text: string, own: boolean): ResponseInputItem => {
  const signature = own && block.textSignature !== undefined ? parseJson(block.textSignature) : undefined;
  const phase = isObject(signature) && isPhase(signature.phase) ? { phase: signature.phase } : {};
  const id = stringAt(signature, "id");
  if (id?.startsWith("msg_") && id.length <= ID_LENGTH) {
    const content = [{ type: "output_text" as const, text, annotations: [] }];
    return { type: "message", role: "assistant", id, status: "completed", content, ...phase };
  }
  const message: EasyInputMessage = { role: "assistant", content: text, ...phase };
  return message;
};

const toAssistant = (
  message: AssistantMessage,
  model: ModelInfo,
  { withReasoning }: RequestOptions,
): ResponseInputItem[] => {
  const own = isOwn(message, model) && withReasoning;
  const hasReasoning = own && message.content.some((block) => block.type === "thinking");
  return message.content.flatMap((block): ResponseInputItem[] => {
    switch (block.type) {
      case "text": {
        const text = usableText(block.text);
        return text === null ? [] : [toText(block, text, own)];
      }
      case "thinking": {
        if (!withReasoning || !ownThinking(message, model, block)) return [];
        const item = reasoningItem(block.thinkingSignature ?? "");
        return item === null ? [] : [item];
      }
      case "toolCall": {
        const { call, item } = idsOf(block.id);
        // An item id is bound to the reasoning before it: without that, a call must come without its id.
        const fits = hasReasoning && item?.startsWith("fc_") && item.length <= ID_LENGTH;
        return [
          {
            type: "function_call",
            call_id: call,
            name: block.name,
            arguments: JSON.stringify(block.arguments),
            ...(fits && item !== undefined ? { id: item } : {}),
          },
        ];
      }
    }
  });
};

const toResult = (message: ToolResultMessage, model: ModelInfo): ResponseInputItem => {
  const parts = usableParts(message.content, model);
  const output: string | ResponseFunctionCallOutputItem[] = parts.some((part) => part.type === "image")
    ? parts.map(toPart)
    : textOf(parts) || NO_OUTPUT;
  return { type: "function_call_output", call_id: idsOf(message.toolCallId).call, output };
};

const toInput = (request: ModelRequest, options: RequestOptions): ResponseInputItem[] =>
  request.messages.flatMap((message): ResponseInputItem[] => {
    switch (message.role) {
      case "user": {
        const content = usableParts(message.content, request.model).map(toPart);
        return content.length === 0 ? [] : [{ role: "user", content }];
      }
      case "assistant":
        return toAssistant(message, request.model, options);
      case "toolResult":
        return [toResult(message, request.model)];
    }
  });

/**
 * The body of a Responses request. Nothing is stored at the provider: reasoning comes back encrypted and goes along with the
 * next request.
 */
export const toResponsesRequest = (
  request: ModelRequest,
  options: RequestOptions,
): ResponseCreateParamsStreaming => {
  const { model } = request;
  const instructions = usableText(request.system);
  const effort = effortFor(model.id, request.thinkingLevel);
  return {
    model: model.id,
    stream: true,
    store: false,
    input: toInput(request, options),
    max_output_tokens: outputLimit(request),
    prompt_cache_key: fittingId(request.sessionId, 64),
    ...(instructions === null ? {} : { instructions }),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, parameters }) => ({
            type: "function" as const,
            name,
            description,
            parameters,
            // Absent means strict here, and strict schemas may have no optional parameters.
            strict: false,
          })),
        }),
    ...(model.reasoning ? { include: ["reasoning.encrypted_content"] } : {}),
    ...(model.reasoning && effort !== undefined ? { reasoning: { effort, summary: "auto" as const } } : {}),
  };
};
