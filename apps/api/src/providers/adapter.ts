import type { ModelRequest } from "@espalier/core";
import type { StreamReader } from "./stream-reading.ts";

/** How a provider is reached. The only thing that holds a key on its way to a request. */
export interface Connection {
  /** Name for people, in messages. */
  readonly label: string;
  /** What the vendor's SDK takes: Anthropic without `/v1`, OpenAI with it. Absent: the vendor's own. */
  readonly baseUrl?: string;
  /** "" where the server wants none. */
  readonly apiKey: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RequestOptions {
  /** Whether earlier reasoning goes back. False for the second attempt when a provider refused it. */
  readonly withReasoning: boolean;
}

/** What one API needs of us: a body, a way to send it with the vendor's SDK, and a reader for the answer. */
export interface Adapter<Body> {
  /** Where requests go without a `baseUrl`. */
  readonly vendorUrl: string;
  readonly createReader: () => StreamReader;
  readonly toRequest: (request: ModelRequest, connection: Connection, options: RequestOptions) => Body;
  /** Resolves to the response with its body unread. Throws what the SDK throws; must not retry. */
  readonly send: (
    body: Body,
    connection: Connection,
    fetch: typeof globalThis.fetch,
    signal: AbortSignal,
  ) => Promise<Response>;
}

/** Sent where a server wants no key but its SDK insists on one. */
export const NO_KEY = "none";

/** SDKs wait this long for the head of an answer, ms. */
export const RESPONSE_TIMEOUT_MS = 600_000;
