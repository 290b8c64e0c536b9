import type { Model, ModelEvent, ModelOutcome, ModelRequest } from "@espalier/core";
import type { Adapter, Connection } from "./adapter.ts";
import { isObject, parseJson } from "./json-access.ts";
import { outcomeOf } from "./outcome.ts";
import { httpProblem, networkProblem, type ProviderProblem, streamProblem } from "./provider-problem.ts";
import { createSseReader } from "./sse-reader.ts";
import type { StreamReader } from "./stream-reading.ts";

/** How long a server may keep the connection open after its terminal event, ms. */
const CLOSING_GRACE_MS = 1000;
const MAX_ERROR_BODY = 64 * 1024;

interface HttpFailure {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** A fetch that keeps what a failed answer said: the SDKs pass on only the shapes they know. */
const watchingFetch = (): { fetch: typeof globalThis.fetch; failure: () => HttpFailure | null } => {
  let failure: HttpFailure | null = null;
  return {
    fetch: async (input, init) => {
      const response = await globalThis.fetch(input, init);
      if (response.ok) return response;
      const body = (await response.text().catch(() => "")).slice(0, MAX_ERROR_BODY);
      failure = { status: response.status, headers: response.headers, body };
      return new Response(body, { status: response.status, headers: response.headers });
    },
    failure: () => failure,
  };
};

/** The SDKs listen on the signal they are given and never stop: a run's own would gather a listener a request. */
const ofOneRequest = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal]);

/** Settles with the promise, or with null when the signal aborts or the time is up. */
const orGiveUp = async <T>(
  promise: Promise<T>,
  signal: AbortSignal,
  ms: number | null,
): Promise<T | null> => {
  let stop: () => void = () => undefined;
  const given = new Promise<null>((resolve) => {
    stop = () => resolve(null);
    if (signal.aborted) resolve(null);
    signal.addEventListener("abort", stop, { once: true });
  });
  const timer = ms === null ? undefined : setTimeout(stop, ms);
  try {
    return await Promise.race([promise, given]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
};

/** The chunks of a body until it ends, the signal aborts, or the reader has all it needs. Closes the connection. */
async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  reader: StreamReader,
): AsyncGenerator<Uint8Array> {
  const source = body.getReader();
  try {
    for (;;) {
      const step = await orGiveUp(source.read(), signal, reader.isDone() ? CLOSING_GRACE_MS : null);
      if (step === null || step.done) return;
      yield step.value;
    }
  } finally {
    source.cancel().catch(() => undefined);
  }
}

/** Servers that cannot stream, or fail before they do, answer 200 with one JSON object or a web page. */
const readWhole = async (
  response: Response,
  reader: StreamReader,
  label: string,
): Promise<{ events: ModelEvent[]; failure?: ProviderProblem }> => {
  const body = (await response.text()).slice(0, 8 * 1024 * 1024);
  const json = parseJson(body);
  if (isObject(json) && json.error) return { events: [], failure: streamProblem(label, json) };
  if (json === undefined) {
    return { events: [], failure: httpProblem(label, { status: 502, headers: response.headers, body }, 0) };
  }
  return { events: reader.push({ event: "", data: body }) };
};

const REFUSED_REASONING = /thinking|reasoning|signature|encrypted_content/i;

const hasReasoning = (request: ModelRequest): boolean =>
  request.messages.some(
    (message) => message.role === "assistant" && message.content.some((block) => block.type === "thinking"),
  );

/** Never lets a key out in a message, in case a server repeats what it got. */
const withoutKey = (outcome: ModelOutcome, key: string): ModelOutcome => {
  if (outcome.problem === undefined || key.length < 8) return outcome;
  return {
    ...outcome,
    problem: { ...outcome.problem, message: outcome.problem.message.replaceAll(key, "…") },
  };
};

type Sent = { readonly response: Response; readonly note?: string } | { readonly failure: ProviderProblem };

/**
 * Sends, and once more without earlier reasoning when the provider refuses just that: signatures are bound to what stood
 * before them, so an edited or compacted history could otherwise never be continued.
 */
const send = async <Body>(
  adapter: Adapter<Body>,
  connection: Connection,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Sent> => {
  for (const withReasoning of [true, false]) {
    const { fetch, failure } = watchingFetch();
    try {
      const body = adapter.toRequest(request, connection, { withReasoning });
      const response = await adapter.send(body, connection, fetch, signal);
      if (withReasoning) return { response };
      return { response, note: "The provider refused the earlier thinking, so it was left out." };
    } catch (error) {
      const failed = failure();
      if (failed === null) {
        return { failure: networkProblem(connection.label, connection.baseUrl ?? adapter.vendorUrl, error) };
      }
      const mayDrop = withReasoning && hasReasoning(request) && failed.status === 400;
      if (!mayDrop || !REFUSED_REASONING.test(failed.body)) {
        return { failure: httpProblem(connection.label, failed, Date.now()) };
      }
    }
  }
  throw new Error("unreachable: the second attempt always returns");
};

/**
 * The Model port over an adapter: sends with the vendor's SDK, reads the raw body, yields deltas and one `end`. Never
 * throws. An abort closes the connection and ends with what had arrived.
 */
export const modelOf = <Body>(adapter: Adapter<Body>, connection: Connection): Model =>
  async function* stream(request, signal): AsyncGenerator<ModelEvent> {
    const reader = adapter.createReader();
    const sse = createSseReader();
    let failure: ProviderProblem | undefined;
    let note: string | undefined;
    try {
      const sent = signal.aborted
        ? null
        : await orGiveUp(send(adapter, connection, request, ofOneRequest(signal)), signal, null);
      if (sent !== null && "failure" in sent) failure = sent.failure;
      else if (sent !== null) {
        note = sent.note;
        const { response } = sent;
        const kind = response.headers.get("content-type") ?? "";
        if (/json|html/.test(kind) || response.body === null) {
          const whole = await readWhole(response, reader, connection.label);
          failure = whole.failure;
          yield* whole.events;
        } else {
          for await (const chunk of chunksOf(response.body, signal, reader)) {
            for (const frame of sse.push(chunk)) yield* reader.push(frame);
          }
          for (const frame of sse.end()) yield* reader.push(frame);
        }
      }
    } catch (error) {
      failure = networkProblem(connection.label, connection.baseUrl ?? adapter.vendorUrl, error);
    }
    const ending = {
      aborted: signal.aborted,
      strayLines: sse.strayLines(),
      ...(failure === undefined ? {} : { failure }),
    };
    const outcome = outcomeOf(reader.reading(), request.model, connection.label, ending);
    const noted = note === undefined || outcome.note !== undefined ? outcome : { ...outcome, note };
    yield { type: "end", outcome: withoutKey(noted, connection.apiKey) };
  };
