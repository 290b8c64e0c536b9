import type { OpenAI } from "openai";
import { type Connection, NO_KEY, RESPONSE_TIMEOUT_MS } from "./adapter.ts";

export const OPENAI_URL = "https://api.openai.com/v1";

/** OpenAI's SDK, loaded when the first model that needs it is used. Both of its APIs go through here. */
export const openAiClient = async (
  connection: Connection,
  fetch: typeof globalThis.fetch,
): Promise<OpenAI> => {
  const { OpenAI } = await import("openai");
  const atOpenAi = (connection.baseUrl ?? OPENAI_URL).startsWith(OPENAI_URL);
  return new OpenAI({
    apiKey: connection.apiKey || NO_KEY,
    baseURL: connection.baseUrl ?? OPENAI_URL,
    defaultHeaders: { ...connection.headers },
    // The SDK would send what the environment holds to any server.
    ...(atOpenAi ? {} : { organization: null, project: null }),
    maxRetries: 0,
    timeout: RESPONSE_TIMEOUT_MS,
    fetch,
  });
};
