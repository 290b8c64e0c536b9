import { connect } from "node:net";
import { sessionId } from "@espalier/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../runtime/service-rig.case.ts";
import { type HttpRig, startHttp } from "./http-rig.case.ts";

let http: HttpRig;
beforeEach(async () => {
  http = await startHttp(40);
});
afterEach(() => http.dispose());

const id = sessionId("s");
const tell = (text: string, session = id): number =>
  http.rig.log.append(session, { type: "notice", level: "info", text });
const texts = (frames: readonly { event: object }[]): string[] =>
  frames.flatMap(({ event }) => ("text" in event ? [String(event.text)] : []));

describe("the stream of events", () => {
  it("begins with hello and names every event by epoch and number", async () => {
    const page = await http.listen();
    expect(page.frames()[0]?.event).toMatchObject({
      type: "hello",
      protocol: 1,
      epoch: http.rig.log.epoch,
      seq: 0,
    });
    tell("a");
    await until(() => page.types().includes("notice"));
    expect(page.lastId()).toBe(`${http.rig.log.epoch}.1`);
    expect(page.items).toContainEqual({ kind: "retry", ms: 1000 });
    page.leave();
  });

  it("goes on after the last event a page had, without a gap or a repeat", async () => {
    for (const text of ["1", "2", "3", "4"]) tell(text);
    const page = await http.listen({ "last-event-id": `${http.rig.log.epoch}.2` });
    await until(() => texts(page.frames()).length >= 2);
    tell("5");
    await until(() => texts(page.frames()).length >= 3);
    expect(texts(page.frames())).toEqual(["3", "4", "5"]);
    page.leave();
  });

  it.each(["other.3", "", "x", "null.-1", "9999999999999999999"])(
    "begins anew for a page that comes with %j",
    async (last) => {
      tell("old");
      const page = await http.listen({ "last-event-id": last });
      tell("new");
      await until(() => texts(page.frames()).length > 0);
      expect(page.frames()[0]).toMatchObject({ seq: 1, event: { epoch: http.rig.log.epoch, seq: 1 } });
      expect(texts(page.frames())).toEqual(["new"]);
      page.leave();
    },
  );

  it("says resync when what was missed is not held any more, or never was", async () => {
    for (let at = 0; at < 9000; at++) tell("x");
    for (const last of ["3", "99999"]) {
      const page = await http.listen({ "last-event-id": `${http.rig.log.epoch}.${last}` });
      await until(() => page.types().includes("resync"));
      tell(`after ${last}`);
      await until(() => texts(page.frames()).includes(`after ${last}`));
      page.leave();
    }
  });

  it("beats while nothing happens", async () => {
    const page = await http.listen();
    await until(() => page.items.filter(({ kind }) => kind === "heartbeat").length > 2);
    page.leave();
  });

  it("brings only the sessions a page asked for, and what concerns all", async () => {
    const page = await http.listen();
    const hello = page.frames()[0]?.event;
    const stream = hello?.type === "hello" ? hello.stream : "";
    expect((await http.post("/api/subscribe", { sessions: ["mine"], stream })).status).toBe(200);
    expect((await http.post("/api/subscribe", { sessions: [], stream: "nobody" })).status).toBe(404);
    tell("theirs");
    tell("mine", sessionId("mine"));
    http.rig.log.append(null, { type: "sessions_changed" });
    await until(() => page.types().includes("sessions_changed"));
    expect(texts(page.frames())).toEqual(["mine"]);
    page.leave();
  });

  it("ends when the server stops", async () => {
    const page = await http.listen();
    http.shutDown();
    await page.over;
    const late = await http.listen();
    await late.over;
  });

  it("is open eight times at most, and free again when a page leaves", async () => {
    const pages = await Promise.all(Array.from({ length: 8 }, () => http.listen()));
    expect((await http.listen()).status).toBe(429);
    pages[0]?.leave();
    await until(async () => {
      const again = await http.listen();
      again.leave();
      return again.status === 200;
    });
    for (const page of pages) page.leave();
  });

  it("is nobody's brake: a page that never reads holds neither the run nor other pages, and must resync", async () => {
    const slow = connect(http.port, "127.0.0.1");
    slow.write(
      `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${http.port}\r\nX-Espalier-Token: ${http.keyring.token}\r\n\r\n`,
    );
    await new Promise((resolve) => slow.once("data", resolve));
    slow.pause();
    const page = await http.listen();
    const piece = "x".repeat(64 * 1024);
    for (let at = 0; at < 800; at++) {
      tell(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    tell("last");
    await until(() => texts(page.frames()).includes("last"));
    expect(
      page.types().filter((type) => type === "notice").length + (page.types().includes("resync") ? 800 : 0),
    ).toBeGreaterThan(800);
    let came = "";
    slow.on("data", (bytes: Buffer) => {
      came = (came + bytes.toString("latin1")).slice(-200_000);
    });
    slow.resume();
    await until(() => came.includes("event: resync"));
    slow.destroy();
    page.leave();
  });
});
