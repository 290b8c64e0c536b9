import type { AssistantMessage, ToolResultMessage, UserMessage } from "@espalier/protocol";

/** What a provider is sent. Already guarded: pairs are whole, ids fit the provider, no text is empty. */
export type ModelMessage = UserMessage | AssistantMessage | ToolResultMessage;
