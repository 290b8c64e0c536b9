import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createFrameReader, type WireItem } from "@espalier/core";
import type { EventFrame } from "@espalier/protocol";
import { getRequestListener } from "@hono/node-server";
import { createApp } from "../app.ts";
import { closeServer, httpServer } from "../cli/http-server.ts";
import { makeRig, type Rig, until } from "../runtime/service-rig.case.ts";
import { workspaceService } from "../runtime/workspace-service.ts";
import { ownHosts } from "../security/door.ts";
import { Keyring } from "../security/keyring.ts";
import { pageRoutes, readAssets } from "./pages.ts";

/** A page's stream: what came, and how to leave. */
interface Listener {
  readonly status: number;
  readonly items: WireItem[];
  readonly frames: () => EventFrame[];
  readonly types: () => string[];
  readonly lastId: () => string;
  readonly leave: () => void;
  /** Resolves when the server ended the stream. */
  readonly over: Promise<void>;
}

export interface HttpRig {
  readonly rig: Rig;
  readonly port: number;
  readonly keyring: Keyring;
  readonly call: (path: string, init?: RequestInit) => Promise<Response>;
  readonly post: (path: string, body: unknown) => Promise<Response>;
  readonly listen: (headers?: Record<string, string>) => Promise<Listener>;
  /** Sends raw bytes and returns what came back until the connection closed or fell silent. */
  readonly raw: (text: string) => Promise<string>;
  readonly shutDown: () => void;
  readonly dispose: () => Promise<void>;
}

const listenTo = async (url: string, headers: Record<string, string>): Promise<Listener> => {
  const gone = new AbortController();
  const response = await fetch(url, { headers, signal: gone.signal });
  const reader = createFrameReader();
  const items: WireItem[] = [];
  const read = async (): Promise<void> => {
    try {
      for await (const bytes of response.body ?? []) items.push(...reader.push(bytes));
    } catch {
      // We left.
    }
  };
  const over = response.status === 200 ? read() : Promise.resolve();
  const frames = (): EventFrame[] => items.flatMap((item) => (item.kind === "frame" ? [item.frame] : []));
  return {
    status: response.status,
    items,
    frames,
    types: () => frames().map(({ event }) => event.type),
    lastId: reader.lastEventId,
    leave: () => gone.abort(),
    over,
  };
};

const sendRaw = (port: number, text: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let answer = "";
    const done = (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(200, done);
    socket.on("data", (bytes) => {
      answer += bytes.toString("latin1");
    });
    socket.on("close", done);
    socket.on("error", done);
  });

/** The whole server on a loopback port, over a service with scripted models. */
export const startHttp = async (heartbeatMs?: number): Promise<HttpRig> => {
  const rig = makeRig("jsonl");
  const web = join(rig.folder, "web");
  mkdirSync(join(web, "assets"), { recursive: true });
  writeFileSync(join(web, "index.html"), "<style nonce=__NONCE__></style>the page");
  writeFileSync(join(web, "assets/a.js"), "1");
  const keyring = new Keyring("cookie-secret-cookie-secret-cookie-secret", Date.now);
  const ended = new AbortController();
  let port = 0;
  const app = createApp({
    sessions: rig.service,
    workspace: workspaceService({
      cwd: rig.workspace,
      dataDir: join(rig.folder, "data"),
      piDir: join(rig.folder, "pi"),
      version: "1",
      settings: rig.process.settings,
      listing: () => Promise.resolve({ models: [], default: null, problems: [] }),
      sessions: () => rig.store.list(),
      folderOf: async (id) => (await (await rig.service.runtime(id)).folder()).cwd,
      saveKey: (_, key) => Promise.resolve(key.slice(0, 3)),
      keyPath: "keys",
    }),
    log: rig.log,
    keyring,
    version: "1",
    port: () => port,
    hosts: () => ownHosts(port),
    pages: pageRoutes(await readAssets(web), () => `http://127.0.0.1:${port}`),
    ended: ended.signal,
    report: () => undefined,
    ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
  });
  const listener = getRequestListener(app.fetch);
  const server = httpServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
  const url = `http://127.0.0.1:${port}`;
  const token = { "x-espalier-token": keyring.token };
  const call = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { ...token, ...(init.headers as Record<string, string>) } });
  return {
    rig,
    port,
    keyring,
    call,
    post: (path, body) =>
      call(path, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    listen: async (headers = {}) => {
      const made = await listenTo(`${url}/api/events`, { ...token, ...headers });
      if (made.status === 200) await until(() => made.frames().length > 0, "hello");
      return made;
    },
    raw: (text) =>
      sendRaw(port, text.replaceAll("HOST", `127.0.0.1:${port}`).replaceAll("TOKEN", keyring.token)),
    shutDown: () => ended.abort(),
    dispose: async () => {
      ended.abort();
      await closeServer(server);
      await rig.dispose();
    },
  };
};
