import { readFileSync } from "node:fs";
import { commandId } from "@espalier/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HttpRig, startHttp } from "./http-rig.case.ts";

let http: HttpRig;
beforeAll(async () => {
  http = await startHttp();
});
afterAll(() => http.dispose());

const statusOf = (answer: string): string => /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? answer.slice(0, 40);
const raw = async (text: string): Promise<string> => statusOf(await http.raw(text));

describe("requests no client of ours sends", () => {
  it.each(["evil.example", "localhost.evil.com:1", "127.0.0.1.nip.io", "0.0.0.0:1"])(
    "under the name %s are answered 421, for pages too",
    async (host) => {
      expect(await raw(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toBe("421");
      expect(
        await raw(`GET /api/sessions HTTP/1.1\r\nHost: ${host}\r\nX-Espalier-Token: TOKEN\r\n\r\n`),
      ).toBe("421");
    },
  );

  it("without a name, with two, or with an empty one, are refused", async () => {
    expect(await raw("GET / HTTP/1.1\r\n\r\n")).toBe("400");
    expect(await raw("GET / HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\n\r\n")).toMatch(/^4/);
    expect(await raw("GET / HTTP/1.1\r\nHost: \r\n\r\n")).toMatch(/^4/);
    expect(await raw("GET / HTTP/1.1\r\nHost: HOST.\r\n\r\n")).toMatch(/^4/);
    expect(await raw("GET / HTTP/1.1\r\nHost: user@HOST\r\n\r\n")).toMatch(/^4/);
    expect(await raw("GET / HTTP/1.0\r\n\r\n")).toMatch(/^4/);
  });

  it("with a whole address in the request line are refused, whatever it and the Host say", async () => {
    expect(await raw("GET http://evil.example/ HTTP/1.1\r\nHost: HOST\r\n\r\n")).toBe("400");
    expect(await raw("GET http://HOST/ HTTP/1.1\r\nHost: evil.example\r\n\r\n")).toBe("400");
    expect(await raw("GET //evil.example/ HTTP/1.1\r\nHost: HOST\r\n\r\n")).toBe("400");
    expect(await raw("OPTIONS * HTTP/1.1\r\nHost: HOST\r\n\r\n")).toBe("400");
    expect(await raw("CONNECT evil.example:443 HTTP/1.1\r\nHost: HOST\r\n\r\n")).not.toBe("200");
  });

  it("that say their length twice are refused", async () => {
    const head =
      "POST /api/sessions HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nX-Espalier-Token: TOKEN\r\n";
    expect(
      await raw(
        `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n`,
      ),
    ).toBe("400");
    expect(await raw(`${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`)).toBe("400");
    expect(await raw(`${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`)).toMatch(/^4/);
  });

  it("to upgrade are refused", async () => {
    const upgrade =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n";
    expect(
      await raw(`GET /api/events HTTP/1.1\r\nHost: HOST\r\nOrigin: http://evil.example\r\n${upgrade}\r\n`),
    ).toBe("403");
    expect(await raw(`GET / HTTP/1.1\r\nHost: HOST\r\n${upgrade}\r\n`)).toBe("403");
  });

  it("with a head or a body beyond measure are refused before they are held", async () => {
    expect(await raw(`GET / HTTP/1.1\r\nHost: HOST\r\nX: ${"x".repeat(40_000)}\r\n\r\n`)).toBe("431");
    const head = "HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nOrigin: http://HOST\r\n";
    expect(await raw(`POST /api/key ${head}Content-Length: 1073741824\r\n\r\n{`)).toBe("413");
    expect(
      await raw(
        `POST /api/key ${head}Transfer-Encoding: chunked\r\n\r\n4000\r\n${"x".repeat(0x4000)}\r\n0\r\n\r\n`,
      ),
    ).toBe("413");
    expect(await raw(`POST /api/import ${head}Content-Length: 1073741824\r\n\r\n{`)).toBe("401");
    expect(
      await raw(`POST /api/import ${head}X-Espalier-Token: TOKEN\r\nContent-Length: 1073741824\r\n\r\n{`),
    ).toBe("413");
  });

  it("for files outside the page find nothing", async () => {
    for (const path of [
      "/..%2f..%2fpackage.json",
      "/../../etc/passwd",
      "/assets/../../data/local.json",
      "/assets/%2e%2e/%2e%2e/etc/passwd",
      "/assets/a.js%00.html",
      "/etc/passwd",
      "/%2fetc%2fpasswd",
      "/assets/",
      "/\\..\\..\\etc\\passwd",
      "/__proto__",
      "/constructor",
    ]) {
      const answer = await http.raw(`GET ${path} HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n`);
      expect(statusOf(answer)).toMatch(/^40[04]$/);
      expect(answer).not.toMatch(/root:|espalier_|"name"/);
    }
    expect(await raw("GET /assets/a.js HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n")).toBe("200");
    expect(await raw("POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")).toBe(
      "404",
    );
  });

  it("with keys of the prototype change nothing", async () => {
    const body =
      '{"type":"rename","name":"x","__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}';
    const answer = await http.call("/api/sessions/x/commands", {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
    expect(answer.status).toBe(404);
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
    expect((await http.call("/api/sessions/__proto__")).status).toBe(400);
    expect((await http.call("/api/sessions/constructor")).status).toBe(404);
  });
});

describe("the page", () => {
  it("is framed by nobody, runs only its own scripts, and holds no key", async () => {
    const answer = await http.call("/", { headers: { "x-espalier-token": "" } });
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("script-src 'self';");
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? "";
    const text = await answer.text();
    expect(text).toContain(nonce);
    expect(text).not.toContain(http.keyring.token);
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

describe("the token", () => {
  it("is in no answer and in no file of a session", async () => {
    const made = (await (await http.post("/api/sessions", {})).json()) as { id: string };
    http.rig.script({ text: "ok" });
    const command = { type: "prompt", text: "hi", commandId: commandId("c") };
    expect((await http.post(`/api/sessions/${made.id}/commands`, command)).status).toBe(200);
    await http.rig.idle(made.id as never);
    const answers = await Promise.all(
      ["/api/sessions", `/api/sessions/${made.id}`, "/api/workspace", "/api/settings", "/api/nothing"].map(
        async (path) => (await http.call(path)).text(),
      ),
    );
    const [info] = (await http.rig.service.list()).sessions;
    const file = readFileSync(info?.path ?? "", "utf8");
    expect(answers.join() + file).not.toContain(http.keyring.token);
    expect(JSON.stringify(http.rig.log.after(0, 1000))).not.toContain(http.keyring.token);
  });
});
