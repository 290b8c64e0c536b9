import { ProblemError } from "@espalier/core";
import { type EventFrame, entryId, PROTOCOL_VERSION, sessionId } from "@espalier/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiClient } from "./api-client.ts";
import type { StreamFrame, StreamStatus } from "./event-stream.ts";
import { EventStream, SILENCE_MS } from "./event-stream.ts";
import { KeyRing, takeKey } from "./key-ring.ts";
import { MemoryTransport } from "./memory-transport.ts";
import { SharedStream, type TabChannel, type TabLock, type TabWord } from "./shared-stream.ts";

const plainPlace = () => {
  const held = new Map<string, string>();
  return {
    getItem: (key: string) => held.get(key) ?? null,
    setItem: (key: string, value: string) => void held.set(key, value),
    removeItem: (key: string) => void held.delete(key),
  };
};

const make = () => {
  const transport = new MemoryTransport();
  const place = plainPlace();
  const keys = new KeyRing(transport, place);
  const signedOut = vi.fn();
  return { transport, place, keys, signedOut, api: new ApiClient(transport, keys, signedOut) };
};

describe("takeKey", () => {
  it("takes the code out of the address and leaves the rest", () => {
    expect(takeKey("#key=abc")).toEqual({ key: "abc", hash: "" });
    expect(takeKey("#at=1&key=a%2Bb")).toEqual({ key: "a+b", hash: "#at=1" });
    expect(takeKey("")).toEqual({ key: null, hash: "" });
  });
});

describe("the key ring", () => {
  it("keeps the token it traded, and renews once for several calls", async () => {
    const { transport, keys, place } = make();
    transport.on("POST", /^\/api\/key$/, ({ body }) => ({
      status: 200,
      body: { token: `for ${JSON.stringify(body)}` },
    }));
    transport.on("POST", /renew/, () => ({ status: 200, body: { token: "new" } }));
    expect(await keys.exchange("c")).toBe(true);
    expect(place.getItem("espalier.token")).toBe('for {"key":"c"}');
    await Promise.all([keys.renew(), keys.renew()]);
    expect(keys.token).toBe("new");
    expect(transport.requests.filter(({ path }) => path.includes("renew"))).toHaveLength(1);
  });
});

describe("the API client", () => {
  it("sends the token as a header, never in the address", async () => {
    const { transport, api, place } = make();
    place.setItem("espalier.token", "secret");
    transport.on("GET", /sessions$/, () => ({ status: 200, body: { sessions: [] } }));
    await api.sessions();
    expect(transport.requests[0]?.headers["X-Espalier-Token"]).toBe("secret");
    expect(transport.requests[0]?.path).not.toContain("secret");
  });

  it("renews the token on 401 and asks again; says so when that fails", async () => {
    const { transport, api, signedOut } = make();
    let calls = 0;
    transport.on("GET", /sessions$/, () => {
      calls += 1;
      return calls === 1 ? { status: 401 } : { status: 200, body: { sessions: [] } };
    });
    transport.on("POST", /renew/, () => ({ status: 200, body: { token: "t" } }));
    expect(await api.sessions()).toEqual({ sessions: [] });
    transport.on("GET", /models$/, () => ({ status: 401 }));
    transport.on("POST", /renew/, () => ({ status: 401 }));
    await expect(api.models()).rejects.toMatchObject({ code: "unauthorized" });
    expect(signedOut).toHaveBeenCalledOnce();
  });

  it("throws the server's problem, and `io` when there is no server", async () => {
    const { transport, api } = make();
    const error = { code: "busy", message: "The session is busy." };
    transport.on("POST", /commands$/, () => ({ status: 409, body: { error } }));
    await expect(api.command(sessionId("a"), { type: "clone" })).rejects.toMatchObject(error);
    transport.on("POST", /commands$/, () => ({ status: 0 }));
    await expect(api.command(sessionId("a"), { type: "clone" })).rejects.toBeInstanceOf(ProblemError);
    await expect(api.command(sessionId("a"), { type: "clone" })).rejects.toMatchObject({ code: "io" });
  });

  it("writes ids into addresses so that they stay one part of them", async () => {
    const { transport, api } = make();
    transport.on("GET", /./, () => ({ status: 200, body: {} }));
    await api.entry(sessionId("a/../b"), entryId('x?"y'));
    expect(transport.requests[0]?.path).toBe("/api/sessions/a%2F..%2Fb/entries/x%3F%22y");
  });
});

const frame = (seq: number, event: EventFrame["event"], session: string | null = null): string =>
  `id: e.${seq}\ndata: ${JSON.stringify({ seq, session, rev: seq, event })}\n\n`;
const hello = (stream = "s1", protocol = PROTOCOL_VERSION): string =>
  `data: ${JSON.stringify({ seq: 0, session: null, rev: 0, event: { type: "hello", protocol, version: "1", epoch: "e", seq: 0, stream } })}\n\n`;

const tick = () => vi.advanceTimersByTimeAsync(0);

describe("the event stream", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const start = () => {
    const { transport, api } = make();
    transport.on("POST", /subscribe$/, () => ({ status: 200, body: { ok: true } }));
    const frames: StreamFrame[] = [];
    const states: StreamStatus[] = [];
    const stream = new EventStream(api, {
      frames: (found) => frames.push(...found),
      status: (status) => states.push(status),
    });
    stream.start("");
    return { transport, stream, frames, states };
  };

  it("hands frames on and asks for what it missed when the connection breaks", async () => {
    const { transport, frames, states, stream } = start();
    await tick();
    transport.streams[0]?.write(hello() + frame(1, { type: "sessions_changed" }));
    await tick();
    transport.streams[0]?.break();
    await vi.advanceTimersByTimeAsync(300);
    expect(transport.streams).toHaveLength(2);
    expect(transport.streams[1]?.request.headers["Last-Event-ID"]).toBe("e.1");
    expect(states).toEqual(["connecting", "open", "reconnecting"]);
    transport.streams[1]?.write(hello("s2") + frame(2, { type: "sessions_changed" }));
    await tick();
    expect(states.at(-1)).toBe("open");
    expect(frames.map(({ id }) => id)).toEqual(["", "e.1", "", "e.2"]);
    stream.stop();
  });

  it("tells the server its sessions on every connection", async () => {
    const { transport, stream } = start();
    await tick();
    void stream.setSessions([sessionId("a")]);
    transport.streams[0]?.write(hello());
    await tick();
    const bodies = transport.requests
      .filter(({ path }) => path.endsWith("subscribe"))
      .map(({ body }) => body);
    expect(bodies).toEqual([{ sessions: ["a"], stream: "s1" }]);
    stream.stop();
  });

  it("gives up a silent connection after 40 s, and waits longer each time nobody answers", async () => {
    const { transport, stream, states } = start();
    await tick();
    transport.streams[0]?.write(hello());
    await vi.advanceTimersByTimeAsync(SILENCE_MS - 5_000);
    expect(transport.streams).toHaveLength(1);
    transport.streamStatus = 0;
    await vi.advanceTimersByTimeAsync(8_000);
    expect(states.at(-1)).toBe("offline");
    const before = transport.requests.length;
    await vi.advanceTimersByTimeAsync(60_000);
    const attempts = transport.requests.length - before;
    expect(attempts).toBeGreaterThanOrEqual(60_000 / 5_000);
    expect(attempts).toBeLessThanOrEqual(60_000 / 2_500 + 1);
    stream.stop();
  });

  it("stops for a server of another protocol version", async () => {
    const { transport, stream, states } = start();
    await tick();
    transport.streams[0]?.write(hello("s1", PROTOCOL_VERSION + 1));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(states.at(-1)).toBe("outdated");
    expect(transport.streams).toHaveLength(1);
    stream.stop();
  });
});

/** Several tabs of one browser. */
const browser = () => {
  const listeners = new Set<(word: TabWord) => void>();
  const waiting: (() => Promise<void>)[] = [];
  let held = false;
  const next = (): void => {
    const hold = waiting.shift();
    held = hold !== undefined;
    void hold?.().then(next);
  };
  const lock: TabLock = (hold) => {
    waiting.push(hold);
    if (!held) next();
  };
  const channel = (): TabChannel => {
    let own: ((word: TabWord) => void) | null = null;
    return {
      post: (word) => {
        for (const listener of listeners) if (listener !== own) queueMicrotask(() => listener(word));
      },
      listen: (listener) => {
        own = listener;
        listeners.add(listener);
      },
      close: () => own && listeners.delete(own),
    };
  };
  return { lock, channel };
};

describe("one stream per browser", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const tabs = () => {
    const { transport, api } = make();
    transport.on("POST", /subscribe$/, () => ({ status: 200, body: { ok: true } }));
    const { lock, channel } = browser();
    const open = (tab: string) => {
      const stream = new SharedStream({ source: api, channel: channel(), lock, tab });
      const ids: string[] = [];
      stream.begin();
      stream.onFrames((frames) => ids.push(...frames.map(({ id }) => id)));
      return { stream, ids };
    };
    const wanted = () => transport.requests.filter(({ path }) => path.endsWith("subscribe")).at(-1)?.body;
    return { transport, open, wanted };
  };

  it("is read by one tab and shared with the others", async () => {
    const { transport, open, wanted } = tabs();
    const [a, b] = [open("a"), open("b")];
    await tick();
    transport.streams[0]?.write(hello());
    await tick();
    await a.stream.show([sessionId("one")]);
    await b.stream.show([sessionId("two")]);
    expect(wanted()).toEqual({ sessions: ["one", "two"], stream: "s1" });
    transport.streams[0]?.write(frame(1, { type: "sessions_changed" }));
    await tick();
    expect(transport.streams).toHaveLength(1);
    expect(a.ids.at(-1)).toBe("e.1");
    expect(b.ids.at(-1)).toBe("e.1");
    expect(b.stream.status).toBe("open");
  });

  it("goes on in the next tab, after the last event, when the reading one closes", async () => {
    const { transport, open, wanted } = tabs();
    const [a, b] = [open("a"), open("b")];
    await tick();
    transport.streams[0]?.write(hello());
    await tick();
    await b.stream.show([sessionId("two")]);
    transport.streams[0]?.write(frame(7, { type: "sessions_changed" }));
    await tick();
    a.stream.close();
    await vi.advanceTimersByTimeAsync(10);
    expect(transport.streams).toHaveLength(2);
    expect(transport.streams[1]?.request.headers["Last-Event-ID"]).toBe("e.7");
    transport.streams[1]?.write(hello("s2") + frame(8, { type: "sessions_changed" }));
    await tick();
    expect(b.ids.at(-1)).toBe("e.8");
    expect(wanted()).toEqual({ sessions: ["two"], stream: "s2" });
  });
});
