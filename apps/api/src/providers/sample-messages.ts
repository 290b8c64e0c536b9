import type { ModelMessage, ModelRequest } from "@espalier/core";
import {
  type AssistantContent,
  type AssistantMessage,
  type ModelInfo,
  type ToolResultMessage,
  toolCallId,
  type UserContent,
} from "@espalier/protocol";

/** Small messages for tests of requests. */
export const userSays = (content: string | UserContent[]): ModelMessage => ({
  role: "user",
  content,
  timestamp: 0,
});

export const assistantSays = (
  by: Pick<ModelInfo, "provider" | "api" | "id">,
  content: AssistantContent[],
  stopReason: AssistantMessage["stopReason"] = "stop",
): AssistantMessage => ({
  role: "assistant",
  content,
  api: by.api,
  provider: by.provider,
  model: by.id,
  usage: {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  },
  stopReason,
  timestamp: 0,
});

export const call = (id: string, name: string, args: Record<string, unknown> = {}): AssistantContent => ({
  type: "toolCall",
  id: toolCallId(id),
  name,
  arguments: args,
});

export const result = (id: string, content: UserContent[] | string, isError = false): ToolResultMessage => ({
  role: "toolResult",
  toolCallId: toolCallId(id),
  toolName: "read",
  content: typeof content === "string" ? [{ type: "text", text: content }] : content,
  isError,
  timestamp: 0,
});

export const image: UserContent = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };

export const modelNamed = (over: Partial<ModelInfo>): ModelInfo => ({
  provider: "acme",
  id: "some-model",
  name: "Some model",
  api: "openai-completions",
  contextWindow: 200_000,
  maxTokens: 32_000,
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  ready: true,
  ...over,
});

export const requestOf = (
  model: ModelInfo,
  messages: readonly ModelMessage[],
  over: Partial<ModelRequest> = {},
): ModelRequest => ({
  model,
  system: "Be brief.",
  tools: [
    { name: "read", description: "Reads.", parameters: { type: "object", properties: {} } },
    { name: "bash", description: "Runs.", parameters: { type: "object", properties: {} } },
  ],
  messages,
  thinkingLevel: "off",
  sessionId: "0198c0de-0000-7000-8000-000000000000",
  ...over,
});
