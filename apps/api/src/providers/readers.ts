import { createAnthropicReader } from "./anthropic/from-stream.ts";
import { createChatReader } from "./openai-chat/from-stream.ts";
import { createResponsesReader } from "./openai-responses/from-stream.ts";
import { createSseReader } from "./sse-reader.ts";
import type { StreamReader, StreamReading } from "./stream-reading.ts";

/** A fresh stream reader by API. */
export const readers: Readonly<Record<StreamReading["api"], () => StreamReader>> = {
  "anthropic-messages": createAnthropicReader,
  "openai-responses": createResponsesReader,
  "openai-completions": createChatReader,
};

export const isStreamApi = (name: string): name is StreamReading["api"] => Object.hasOwn(readers, name);

/** Reads a recorded stream, whole. */
export const readRecorded = (api: StreamReading["api"], bytes: Uint8Array): StreamReading => {
  const sse = createSseReader();
  const reader = readers[api]();
  for (const frame of [...sse.push(bytes), ...sse.end()]) reader.push(frame);
  return reader.reading();
};
