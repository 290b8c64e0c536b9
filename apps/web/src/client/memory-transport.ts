import type { Transport, TransportAnswer, TransportRequest, TransportStream } from "./transport.ts";

/** What a call is answered with; a status of 0 means: the server cannot be reached. */
interface MemoryAnswer {
  readonly status: number;
  readonly body?: unknown;
}

type Handler = (request: TransportRequest) => MemoryAnswer | Promise<MemoryAnswer>;

const encoder = new TextEncoder();

/** One open stream of a memory transport. */
export class MemoryStream {
  #parts: Uint8Array[] = [];
  #wake: () => void = () => undefined;
  #end: "open" | "closed" | "broken" = "open";
  readonly request: TransportRequest;

  constructor(request: TransportRequest) {
    this.request = request;
    request.signal?.addEventListener("abort", () => this.break());
  }

  get open(): boolean {
    return this.#end === "open";
  }

  /** Sends text as it is; it may be cut anywhere. */
  write(text: string): void {
    this.#parts.push(encoder.encode(text));
    this.#wake();
  }

  close(): void {
    this.#end = "closed";
    this.#wake();
  }

  break(): void {
    this.#end = "broken";
    this.#wake();
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const part = this.#parts.shift();
        if (part) yield part;
        else if (this.#end === "broken") throw new Error("the connection broke");
        else if (this.#end === "closed") return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      // Who stops reading hangs up.
      if (this.#end === "open") this.#end = "closed";
    }
  }
}

const aborted = (): DOMException => new DOMException("the call was aborted", "AbortError");

const refuseAborted = ({ signal }: TransportRequest): void => {
  if (signal?.aborted) throw aborted();
};

/** The answer, unless the call is aborted before it is there. */
const orAborted = ({ signal }: TransportRequest, answer: MemoryAnswer | Promise<MemoryAnswer>) =>
  new Promise<MemoryAnswer>((resolve, reject) => {
    signal?.addEventListener("abort", () => reject(aborted()), { once: true });
    Promise.resolve(answer).then(resolve, reject);
  });

/** A server inside the page: answers calls by handlers, first match first, and keeps the streams that were opened. */
export class MemoryTransport implements Transport {
  readonly requests: TransportRequest[] = [];
  readonly streams: MemoryStream[] = [];
  readonly #handlers: { readonly method: string; readonly path: RegExp; readonly handle: Handler }[] = [];
  /** Status of the next streams; 0: they cannot be opened. */
  streamStatus = 200;

  on(method: TransportRequest["method"], path: RegExp, handle: Handler): this {
    this.#handlers.unshift({ method, path, handle });
    return this;
  }

  readonly request = async (request: TransportRequest): Promise<TransportAnswer> => {
    this.requests.push(request);
    refuseAborted(request);
    const found = this.#handlers.find(
      ({ method, path }) => method === request.method && path.test(request.path),
    );
    const answer = found
      ? await orAborted(request, found.handle(request))
      : { status: 404, body: { error: { code: "not_found", message: `no handler for ${request.path}` } } };
    if (answer.status === 0) throw new TypeError("failed to fetch");
    return {
      status: answer.status,
      json: async () => answer.body ?? null,
      blob: async () => new Blob([JSON.stringify(answer.body ?? null)]),
    };
  };

  readonly stream = async (request: TransportRequest): Promise<TransportStream> => {
    this.requests.push(request);
    refuseAborted(request);
    if (this.streamStatus === 0) throw new TypeError("failed to fetch");
    const stream = new MemoryStream(request);
    this.streams.push(stream);
    return { status: this.streamStatus, chunks: stream.chunks() };
  };
}
