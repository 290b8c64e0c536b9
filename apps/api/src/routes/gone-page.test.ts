import { parseJsonl } from "@espalier/core";
import { sessionId } from "@espalier/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { call } from "../runtime/service-probe.case.ts";
import { until } from "../runtime/service-rig.case.ts";
import { type HttpRig, startHttp } from "./http-rig.case.ts";

let http: HttpRig;
beforeEach(async () => {
  http = await startHttp(40);
});
afterEach(() => http.dispose());

it("a page that goes away in the middle of a run stops nothing, and finds what the file says when it comes back", async () => {
  const { rig } = http;
  const id = sessionId((await rig.service.create({})).id);
  rig.script({ calls: [call("a", "look", "wait")] }, { text: "said while nobody looked" });
  const page = await http.listen();
  await rig.service.command(id, { type: "prompt", text: "go" });
  await until(() => rig.gates.reached("wait"));
  await until(() => page.types().includes("tool"));
  const last = page.lastId();
  page.leave();
  await until(() => !rig.log.isFollowed(id));
  rig.gates.open("wait");
  await rig.idle(id);
  const again = await http.listen({ "last-event-id": last });
  await until(() => again.frames().some(({ event }) => event.type === "run" && event.run.status === "done"));
  const told = again.frames().flatMap(({ event }) => (event.type === "entries" ? event.entries : []));
  const parsed = parseJsonl(await rig.bytes(id));
  const inFile = (parsed?.rows ?? []).flatMap((row) => parsed?.read(row.id) ?? []);
  expect(told.map(({ id: one }) => one)).toEqual(inFile.slice(-told.length).map(({ id: one }) => one));
  expect(JSON.stringify(told)).toContain("said while nobody looked");
  expect((await rig.service.snapshot(id, {})).rows).toHaveLength(inFile.length);
  again.leave();
});
