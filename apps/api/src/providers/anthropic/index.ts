import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import type { Model } from "@espalier/core";
import { type Adapter, type Connection, NO_KEY, RESPONSE_TIMEOUT_MS } from "../adapter.ts";
import { modelOf } from "../model-of.ts";
import { createAnthropicReader } from "./from-stream.ts";
import { toAnthropicRequest } from "./to-request.ts";

const adapter: Adapter<MessageCreateParamsStreaming> = {
  vendorUrl: "https://api.anthropic.com",
  createReader: createAnthropicReader,
  toRequest: (request, _connection, options) => toAnthropicRequest(request, options),
  send: async (body, connection, fetch, signal) => {
    const { Anthropic } = await import("@anthropic-ai/sdk");
    const client = new Anthropic({
      // Null: the SDK would take a key or token from the environment and send it to any server.
      apiKey: null,
      authToken: null,
      baseURL: connection.baseUrl ?? adapter.vendorUrl,
      defaultHeaders: {
        "x-api-key": connection.apiKey || NO_KEY,
        // The version our recorded streams have, and the only one compatible servers know.
        "anthropic-version": "2023-06-01",
        ...connection.headers,
      },
      maxRetries: 0,
      timeout: RESPONSE_TIMEOUT_MS,
      fetch,
    });
    // Not `messages.create`: that prints warnings about models to the console.
    return client.post("/v1/messages", { body, stream: true, signal }).asResponse();
  },
};

/** Anthropic Messages, at Anthropic or any server that speaks it. */
export const anthropicModel = (connection: Connection): Model => modelOf(adapter, connection);
