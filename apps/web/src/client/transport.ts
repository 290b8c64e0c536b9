/** One call of the API. `path` begins with `/api/`. */
export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON; absent: no body. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export interface TransportAnswer {
  readonly status: number;
  /** The body as JSON; null when it is empty or no JSON. */
  readonly json: () => Promise<unknown>;
  readonly blob: () => Promise<Blob>;
}

/** A body that goes on arriving. The iteration ends when the other side closes, and throws when the connection breaks. */
export interface TransportStream {
  readonly status: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** The way to the server: the only place that knows fetch. Rejects only when the server cannot be reached, or on abort. */
export interface Transport {
  readonly request: (request: TransportRequest) => Promise<TransportAnswer>;
  readonly stream: (request: TransportRequest) => Promise<TransportStream>;
}
