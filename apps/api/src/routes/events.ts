import { ProblemError } from "@espalier/core";
import { PROTOCOL_VERSION, Subscribe } from "@espalier/protocol";
import { Hono } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import type { EventLog } from "../runtime/event-log.ts";
import { readBody } from "./read-body.ts";

const HEARTBEAT_MS = 15_000;
const MOST_STREAMS = 8;
const BATCH = 256;

interface Reader {
  /** Sessions this stream wants; null: all. */
  sessions: ReadonlySet<string> | null;
}

/** `<epoch>.<seq>` of the last event the page has; null when it has none or it is of another launch. */
const placeOf = (text: string | undefined, epoch: string): number | null => {
  const [from, seq] = (text ?? "").split(".");
  return from === epoch && seq !== undefined && /^\d{1,15}$/.test(seq) ? Number(seq) : null;
};

/** Sends what happened, at the reader's own speed; the log is never held up by it. */
const pump = async (
  stream: SSEStreamingApi,
  log: EventLog,
  reader: Reader,
  start: number,
  ended: AbortSignal,
  heartbeatMs: number,
) => {
  let place = start;
  while (!ended.aborted && !stream.aborted) {
    const batch = log.after(place, BATCH);
    if (batch === null) {
      place = log.seq;
      const frame = { seq: place, session: null, rev: 0, event: { type: "resync" } };
      await stream.writeSSE({ id: `${log.epoch}.${place}`, event: "resync", data: JSON.stringify(frame) });
      continue;
    }
    for (const { frame, json } of batch) {
      place = frame.seq;
      if (frame.session !== null && reader.sessions && !reader.sessions.has(frame.session)) continue;
      await stream.writeSSE({ id: `${log.epoch}.${frame.seq}`, event: frame.event.type, data: json });
      if (ended.aborted) return;
    }
    if (batch.length > 0) continue;
    await log.next(ended, heartbeatMs);
    if (!ended.aborted && log.seq === place) await stream.write(": still here\n\n");
  }
};

/** Without `stream` all readers are meant. Throws `not_found` for one that is not there. */
const subscribe = (
  log: EventLog,
  readers: ReadonlyMap<string, Reader>,
  sessions: ReadonlySet<string>,
  stream: string | undefined,
): void => {
  for (const name of stream === undefined ? readers.keys() : [stream]) {
    const reader = readers.get(name);
    if (!reader) throw new ProblemError("not_found", "That stream is not open.");
    reader.sessions = sessions;
    log.follow(name, sessions);
  }
};

/** The one stream of events, and what each reader of it wants. */
export const eventRoutes = (
  log: EventLog,
  version: string,
  ended: AbortSignal,
  heartbeatMs: number = HEARTBEAT_MS,
): Hono => {
  const readers = new Map<string, Reader>();
  let count = 0;
  const routes = new Hono();

  routes.get("/events", (context) => {
    if (readers.size >= MOST_STREAMS) {
      throw new ProblemError("too_many", `At most ${MOST_STREAMS} pages can follow at once. Close one.`);
    }
    const start = placeOf(context.req.header("last-event-id"), log.epoch) ?? log.seq;
    const name = `s${++count}`;
    const reader: Reader = { sessions: null };
    readers.set(name, reader);
    log.follow(name, null);
    context.header("X-Accel-Buffering", "no");
    const gone = new AbortController();
    const stop = (): void => gone.abort();
    ended.addEventListener("abort", stop, { once: true });
    if (ended.aborted) stop();
    return streamSSE(
      context,
      async (stream) => {
        stream.onAbort(stop);
        try {
          const event = {
            type: "hello",
            protocol: PROTOCOL_VERSION,
            version,
            epoch: log.epoch,
            seq: log.seq,
            stream: name,
          };
          const frame = { seq: start, session: null, rev: 0, event };
          await stream.writeSSE({ event: "hello", data: JSON.stringify(frame), retry: 1000 });
          await pump(stream, log, reader, start, gone.signal, heartbeatMs);
        } finally {
          readers.delete(name);
          log.follow(name, undefined);
          ended.removeEventListener("abort", stop);
        }
      },
      async (_, stream) => {
        await stream.close();
      },
    );
  });

  routes.post("/subscribe", async (context) => {
    const { sessions, stream } = await readBody(context, Subscribe, 65_536);
    subscribe(log, readers, new Set(sessions), stream);
    return context.json({ ok: true, seq: log.seq });
  });
  return routes;
};
