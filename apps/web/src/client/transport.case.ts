import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Transport, TransportRequest } from "./transport.ts";

/** What the other side answers: a status, and a body as JSON; absent: an empty one. */
export interface RigAnswer {
  readonly status: number;
  readonly body?: unknown;
}

/** The server's end of one open stream. */
export interface RigStream {
  readonly write: (text: string) => void;
  readonly close: () => void;
  /** Ends it without an end, as a cut cable does. */
  readonly cut: () => void;
  /** Resolves when the page hung up. */
  readonly left: () => Promise<void>;
}

/** A transport with a server behind it that does as the test says. */
export interface TransportRig {
  readonly transport: Transport;
  /** What was asked for so far; header names in lower case. */
  readonly seen: () => readonly Pick<TransportRequest, "method" | "path" | "headers" | "body">[];
  /** How calls are answered from now on; null: not at all. */
  readonly answer: (answer: RigAnswer | null) => void;
  /** The status that the next stream opens with. */
  readonly streamStatus: (status: number) => void;
  /** The stream that was opened last. */
  readonly stream: () => RigStream;
  /** Nobody listens any more. */
  readonly goAway: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const call = (more: Partial<TransportRequest> = {}): TransportRequest => ({
  method: "GET",
  path: "/api/thing",
  headers: {},
  ...more,
});

const soon = () => new Promise((resolve) => setTimeout(resolve, 1));

const readAll = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
};

/** What every transport holds to. `open` makes a fresh one with its server for each test. */
export const transportSuite = (name: string, open: () => Promise<TransportRig>): void => {
  let rig: TransportRig;
  beforeEach(async () => {
    rig = await open();
  });
  afterEach(() => rig.close());
  describe(`${name}: calls`, () => {
    callCases(() => rig);
    badCallCases(() => rig);
  });
  describe(`${name}: streams`, () => {
    streamCases(() => rig);
    endCases(() => rig);
  });
};

const callCases = (rig: () => TransportRig): void => {
  it("carry method, path, headers and body there, and status and JSON back", async () => {
    const { transport, answer, seen } = rig();
    answer({ status: 200, body: { name: "aä\u{1f333}", list: [1, null] } });
    const got = await transport.request(
      call({ method: "POST", path: "/api/thing?a=1%20b", headers: { "x-test": "yes" }, body: { deep: [1] } }),
    );
    expect(got.status).toBe(200);
    expect(await got.json()).toEqual({ name: "aä\u{1f333}", list: [1, null] });
    const [first] = seen();
    expect(first).toMatchObject({ method: "POST", path: "/api/thing?a=1%20b", body: { deep: [1] } });
    expect(first?.headers["x-test"]).toBe("yes");
  });

  it("give a refusal as an answer, not as an error", async () => {
    const { transport, answer } = rig();
    for (const status of [400, 401, 404, 409, 500]) {
      answer({ status, body: { error: { code: "x" } } });
      const got = await transport.request(call());
      expect(got.status).toBe(status);
      expect(await got.json()).toEqual({ error: { code: "x" } });
    }
  });

  it("give null for a body that is empty, and the bytes of one that is not", async () => {
    const { transport, answer } = rig();
    answer({ status: 200 });
    expect(await (await transport.request(call())).json()).toBeNull();
    answer({ status: 200, body: [1, 2] });
    expect(await (await (await transport.request(call())).blob()).text()).toBe("[1,2]");
  });
};

const badCallCases = (rig: () => TransportRig): void => {
  it("reject when nobody listens", async () => {
    const { transport, goAway } = rig();
    await goAway();
    await expect(transport.request(call())).rejects.toThrow();
    await expect(transport.stream(call())).rejects.toThrow();
  });

  it("reject when they are aborted, before and while they are answered", async () => {
    const { transport, answer } = rig();
    answer(null);
    await expect(transport.request(call({ signal: AbortSignal.abort() }))).rejects.toThrow();
    const stop = new AbortController();
    const waiting = transport.request(call({ signal: stop.signal }));
    stop.abort();
    await expect(waiting).rejects.toThrow();
  });

  it("do not wait for each other", async () => {
    const { transport, answer, seen } = rig();
    answer(null);
    const stop = new AbortController();
    const slow = transport.request(call({ signal: stop.signal, path: "/api/slow" }));
    slow.catch(() => undefined);
    while (seen().length === 0) await soon();
    answer({ status: 200, body: 1 });
    expect(await (await transport.request(call())).json()).toBe(1);
    stop.abort();
    await expect(slow).rejects.toThrow();
  });
};

const streamCases = (rig: () => TransportRig): void => {
  it("bring the bytes in order, and end with the other side", async () => {
    const { transport, stream } = rig();
    const { status, chunks } = await transport.stream(call());
    expect(status).toBe(200);
    const read = readAll(chunks);
    const parts = Array.from({ length: 200 }, (_, index) => `part ${index} \u{1f333}\n`);
    for (const part of parts) stream().write(part);
    stream().close();
    expect(await read).toBe(parts.join(""));
  });

  it("bring a part while the next is not there yet", async () => {
    const { transport, stream } = rig();
    const { chunks } = await transport.stream(call());
    const reader = chunks[Symbol.asyncIterator]();
    for (const part of ["first", "second"]) {
      stream().write(part);
      expect(new TextDecoder().decode((await reader.next()).value)).toBe(part);
    }
    stream().close();
    expect((await reader.next()).done).toBe(true);
  });

  it("tell the status of one that was refused", async () => {
    const { transport, streamStatus } = rig();
    streamStatus(401);
    expect((await transport.stream(call())).status).toBe(401);
  });
};

const endCases = (rig: () => TransportRig): void => {
  it("throw when the connection breaks", async () => {
    const { transport, stream } = rig();
    const { chunks } = await transport.stream(call());
    const reader = chunks[Symbol.asyncIterator]();
    stream().write("half");
    await reader.next();
    stream().cut();
    await expect(reader.next()).rejects.toThrow();
  });

  it("throw on abort, and hang up", async () => {
    const { transport, stream } = rig();
    const stop = new AbortController();
    const { chunks } = await transport.stream(call({ signal: stop.signal }));
    const reader = chunks[Symbol.asyncIterator]();
    stream().write("half");
    await reader.next();
    const next = reader.next();
    stop.abort();
    await expect(next).rejects.toThrow();
    await stream().left();
  });

  it("hang up when nobody reads on", async () => {
    const { transport, stream } = rig();
    const { chunks } = await transport.stream(call());
    stream().write("enough");
    for await (const chunk of chunks) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    await stream().left();
  });
};
