import { ProblemError } from "@espalier/core";
import { type CommandAnswer, sessionId } from "@espalier/protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { createApp } from "./app.ts";
import { EventLog } from "./runtime/event-log.ts";
import type { SessionService } from "./runtime/session-service.ts";
import type { WorkspaceService } from "./runtime/workspace-service.ts";
import { ownHosts } from "./security/door.ts";
import { Keyring } from "./security/keyring.ts";

const PORT = 4600;
const HOST = `127.0.0.1:${PORT}`;
const done: CommandAnswer = { ok: true, seq: 1 };

/** Records what got through the door. */
const openHouse = () => {
  const reached: string[] = [];
  const note = <T>(name: string, value: T): Promise<T> => {
    reached.push(name);
    return Promise.resolve(value);
  };
  const missing = (): never => {
    throw new ProblemError("not_found", "There is no such session.");
  };
  const sessions: SessionService = {
    list: () => note("list", { sessions: [] }),
    create: () => note("create", { id: sessionId("s") }),
    snapshot: missing,
    items: missing,
    compare: missing,
    entry: missing,
    block: () => Promise.resolve({ kind: "image", mimeType: "image/png", bytes: new Uint8Array([1, 2]) }),
    command: (_, command) => note(`command ${command.type}`, done),
    import: () => note("import", { id: sessionId("s") }),
    search: ({ text }) => note(`search ${text}`, { hits: [], complete: true }),
    discard: (id) => note(`discard ${id}`, { ticket: "t" }),
    restore: (ticket) => note(`restore ${ticket}`, { id: sessionId("s") }),
    discarded: () => note("discarded", { sessions: [] }),
  };
  const workspace: WorkspaceService = {
    models: () => note("models", { models: [], default: null, problems: [] }),
    readSettings: () => note("settings", {}),
    writeSettings: (settings) => note("settings", settings),
    files: () => note("files", { files: [] }),
    info: () => Promise.reject(new Error("secret detail of the inside")),
    setKey: (_, key) => note("key", { masked: key.slice(0, 4), storedIn: "x" }),
  };
  const keyring = new Keyring("cookie-secret-cookie-secret-cookie-secret", () => Date.now());
  const log = new EventLog();
  const reports: unknown[] = [];
  const app = createApp({
    sessions,
    workspace,
    log,
    keyring,
    version: "1",
    port: () => PORT,
    hosts: () => ownHosts(PORT),
    ended: new AbortController().signal,
    report: (error) => reports.push(error),
  });
  return { app, keyring, reached, reports };
};

let house: ReturnType<typeof openHouse>;
beforeEach(() => {
  house = openHouse();
});

interface Call {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  /** Leaves the token out. */
  readonly bare?: boolean;
}
const call = (path: string, { method = "GET", body, headers = {}, bare }: Call = {}) =>
  house.app.request(`http://${HOST}${path}`, {
    method,
    headers: { host: HOST, ...(bare ? {} : { "x-espalier-token": house.keyring.token }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
const json = { "content-type": "application/json" };
const prompt = JSON.stringify({ type: "prompt", text: "hi" });

describe("the door lets in", () => {
  it("a program with the token and no Origin", async () => {
    expect((await call("/api/sessions")).status).toBe(200);
    const answer = await call("/api/sessions/abc/commands", { method: "POST", body: prompt, headers: json });
    expect(await answer.json()).toEqual(done);
    expect(house.reached).toEqual(["list", "command prompt"]);
  });

  it("searches, deletions and their undoing", async () => {
    expect((await call("/api/search?q=two%20words")).status).toBe(200);
    expect((await call("/api/search?q=a&limit=many")).status).toBe(400);
    expect(await (await call("/api/sessions/abc", { method: "DELETE" })).json()).toEqual({ ticket: "t" });
    const restored = await call("/api/trash/t/restore", { method: "POST", body: "{}", headers: json });
    expect(await restored.json()).toEqual({ id: "s" });
    expect((await call("/api/sessions/abc", { method: "DELETE", bare: true })).status).toBe(401);
    expect(house.reached).toEqual(["search two words", "discard abc", "restore t"]);
  });

  it("our page under each of our names", async () => {
    for (const host of [HOST, `localhost:${PORT}`, `[::1]:${PORT}`, `LOCALHOST:${PORT}`]) {
      const headers = {
        ...json,
        host,
        origin: `http://${host.toLowerCase()}`,
        "sec-fetch-site": "same-origin",
      };
      expect((await call("/api/sessions", { method: "POST", body: "{}", headers })).status).toBe(200);
    }
  });
});

const reads = [
  "/api/sessions",
  "/api/sessions/x",
  "/api/events",
  "/api/models",
  "/api/settings",
  "/api/files?q=a",
  "/api/workspace",
  "/api/nothing",
];

describe("the door keeps out", () => {
  it.each(reads)("%s without a token, or with a wrong one", async (path) => {
    expect((await call(path, { bare: true })).status).toBe(401);
    expect((await call(path, { bare: true, headers: { "x-espalier-token": "wrong" } })).status).toBe(401);
    expect(
      (await call(path, { bare: true, headers: { cookie: `espalier_${PORT}=${house.keyring.cookie}` } }))
        .status,
    ).toBe(401);
    expect(house.reached).toEqual([]);
  });

  it.each([
    "evil.example",
    "localhost.evil.com:4600",
    "127.0.0.1.nip.io",
    "LOCALHOST.:4600",
    "127.0.0.1:4601",
    "127.0.0.1",
    "0.0.0.0:4600",
    "",
  ])("the foreign name %j, with and without Origin, for pages too", async (host) => {
    const headers = { host, "x-forwarded-host": HOST };
    expect((await call("/api/sessions", { headers })).status).toBe(421);
    expect((await call("/", { headers })).status).toBe(421);
    const rebound = { ...json, host, origin: `http://${host}` };
    expect((await call("/api/sessions", { method: "POST", body: "{}", headers: rebound })).status).toBe(421);
    expect(house.reached).toEqual([]);
  });

  it.each([
    "http://evil.example",
    `http://127.0.0.1:5173`,
    "null",
    `https://${HOST}`,
    `http://localhost:${PORT}`,
  ])("a page of origin %s", async (origin) => {
    const headers = { ...json, origin };
    expect((await call("/api/sessions", { method: "POST", body: "{}", headers })).status).toBe(403);
    expect((await call("/api/sessions", { headers: { origin } })).status).toBe(403);
    expect(house.reached).toEqual([]);
  });

  it.each(["cross-site", "same-site", "none"])("a request the browser calls %s", async (site) => {
    const headers = { "sec-fetch-site": site, "sec-fetch-mode": "no-cors" };
    expect((await call("/api/sessions", { headers })).status).toBe(403);
    expect(house.reached).toEqual([]);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])(
    "a body of type %j",
    async (type) => {
      const headers = type === "" ? {} : { "content-type": type };
      const answer = await call("/api/sessions/abc/commands", { method: "POST", body: prompt, headers });
      expect(answer.status).toBe(415);
      expect(house.reached).toEqual([]);
    },
  );

  it("preflights, with no word that would allow anything", async () => {
    const answer = await call("/api/sessions", {
      method: "OPTIONS",
      bare: true,
      headers: { origin: "http://evil.example" },
    });
    expect(answer.status).toBe(403);
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it("method overrides", async () => {
    await call("/api/sessions?_method=POST", { headers: { "x-http-method-override": "POST" } });
    expect(house.reached).toEqual(["list"]);
  });

  it.each([
    "..%2f..%2fetc%2fpasswd",
    "%2e%2e%2f",
    "a%00b",
    "x".repeat(10_000),
    "a%2Fb",
    "C:%5Cx",
    "-a",
    "a~zz",
  ])("the session id %s", async (id) => {
    expect((await call(`/api/sessions/${id}`)).status).toBe(400);
  });

  it("bodies that do not fit, with the field named", async () => {
    for (const body of ["", "{", "[]", '{"type":"fly"}', '{"type":"prompt"}', '{"type":"prompt","text":5}']) {
      const answer = await call("/api/sessions/abc/commands", { method: "POST", body, headers: json });
      expect(answer.status).toBe(400);
      expect(((await answer.json()) as { error: { code: string } }).error.code).toBe("bad_request");
    }
    expect(house.reached).toEqual([]);
  });

  it("tries without end", async () => {
    const tries = await Promise.all(
      Array.from({ length: 70 }, async () => call("/api/models", { bare: true })),
    );
    expect(tries.at(-1)?.status).toBe(429);
    expect((await call("/api/models")).status).toBe(200);
  });
});

describe("keys", () => {
  const trade = (key: string) =>
    call("/api/key", {
      method: "POST",
      bare: true,
      body: JSON.stringify({ key }),
      headers: { ...json, origin: `http://${HOST}` },
    });

  it("are traded once for the token and a cookie scripts cannot read", async () => {
    const key = house.keyring.mint();
    const answer = await trade(key);
    expect(await answer.json()).toEqual({ token: house.keyring.token });
    expect(answer.headers.get("set-cookie")).toMatch(
      new RegExp(`^espalier_${PORT}=.*HttpOnly; SameSite=Strict$`),
    );
    expect((await trade(key)).status).toBe(401);
  });

  it("are renewed by the cookie from our own page only", async () => {
    const cookie = `espalier_${PORT}=${house.keyring.cookie}`;
    const renew = (headers: Record<string, string>) =>
      call("/api/key/renew", { method: "POST", bare: true, body: "{}", headers: { ...json, ...headers } });
    expect((await renew({ cookie, origin: `http://${HOST}` })).status).toBe(200);
    expect((await renew({ cookie })).status).toBe(403);
    expect((await renew({ cookie, origin: "http://127.0.0.1:5173" })).status).toBe(403);
    expect((await renew({ cookie: `espalier_${PORT}=x`, origin: `http://${HOST}` })).status).toBe(401);
    expect((await renew({ origin: `http://${HOST}` })).status).toBe(401);
  });
});

describe("answers", () => {
  it("tell nothing of the inside when something unexpected fails", async () => {
    const answer = await call("/api/workspace");
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain("secret detail");
    expect(house.reports.length).toBe(1);
  });

  it("are never stored and never sniffed", async () => {
    for (const path of ["/api/sessions", "/api/nothing"]) {
      const { headers } = await call(path);
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    }
  });

  it("give pictures as downloads that cannot run", async () => {
    const { headers } = await call("/api/sessions/abc/entries/e/blocks/0");
    expect(headers.get("content-security-policy")).toContain("sandbox");
    expect(headers.get("content-disposition")).toBe("attachment");
  });
});
