import type { Model } from "@espalier/core";
import type { ResponseCreateParamsStreaming } from "openai/resources/responses/responses";
import type { Adapter, Connection } from "../adapter.ts";
import { modelOf } from "../model-of.ts";
import { OPENAI_URL, openAiClient } from "../openai-client.ts";
import { createResponsesReader } from "./from-stream.ts";
import { toResponsesRequest } from "./to-request.ts";

const adapter: Adapter<ResponseCreateParamsStreaming> = {
  vendorUrl: OPENAI_URL,
  createReader: createResponsesReader,
  toRequest: (request, _connection, options) => toResponsesRequest(request, options),
  send: async (body, connection, fetch, signal) => {
    const client = await openAiClient(connection, fetch);
    return client.responses.create(body, { signal }).asResponse();
  },
};

/** OpenAI Responses, at OpenAI or any server that speaks it. */
export const responsesModel = (connection: Connection): Model => modelOf(adapter, connection);
