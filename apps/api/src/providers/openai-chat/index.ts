import type { Model } from "@espalier/core";
import type { Adapter, Connection } from "../adapter.ts";
import { modelOf } from "../model-of.ts";
import { OPENAI_URL, openAiClient } from "../openai-client.ts";
import { createChatReader } from "./from-stream.ts";
import { type ChatBody, toChatRequest } from "./to-request.ts";

const adapter: Adapter<ChatBody> = {
  vendorUrl: OPENAI_URL,
  createReader: createChatReader,
  toRequest: (request, connection, options) =>
    toChatRequest(request, connection.baseUrl ?? OPENAI_URL, options),
  send: async (body, connection, fetch, signal) => {
    const client = await openAiClient(connection, fetch);
    return client.chat.completions.create(body, { signal }).asResponse();
  },
};

/** OpenAI Chat Completions, at OpenAI or any of the many servers that speak it. */
export const chatModel = (connection: Connection): Model => modelOf(adapter, connection);
