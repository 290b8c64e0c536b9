import type { Transport, TransportRequest } from "./transport.ts";

const send = (base: string, request: TransportRequest): Promise<Response> =>
  fetch(`${base}${request.path}`, {
    method: request.method,
    headers: {
      ...request.headers,
      ...(request.body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    credentials: "same-origin",
    cache: "no-store",
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    ...(request.signal ? { signal: request.signal } : {}),
  });

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** Talks to the server at `base`, e.g. `http://127.0.0.1:4000`; "" is the one the page came from. */
export const fetchTransportTo = (base: string): Transport => ({
  request: async (request) => {
    const response = await send(base, request);
    return {
      status: response.status,
      json: async () => {
        const text = await response.text();
        if (text === "") return null;
        try {
          return JSON.parse(text) as unknown;
        } catch {
          return null;
        }
      },
      blob: () => response.blob(),
    };
  },
  stream: async (request) => {
    const response = await send(base, request);
    if (!response.body) throw new Error("the server's stream has no body");
    return { status: response.status, chunks: chunksOf(response.body) };
  },
});

export const fetchTransport: Transport = fetchTransportTo("");
