import { mkdir } from "node:fs/promises";
import type { RequestListener, Server } from "node:http";
import { problemOf } from "@espalier/core";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { type ServerConfig, serverConfig } from "../config.ts";
import { takeLock } from "../storage/lock.ts";
import { closeServer, httpServer } from "./http-server.ts";
import { openBrowser } from "./open-browser.ts";
import { freshLink, readServerFile, removeServerFile, writeServerFile } from "./server-file.ts";
import type { Verb, VerbIo } from "./verb.ts";

/** How long runs get to write what they have when the server stops, ms. */
const STOP_MS = 2000;
const PORTS_TO_TRY = 50;

/** A server ready to listen, made by the composition root. */
export interface ServerParts {
  readonly app: Hono;
  readonly token: string;
  readonly version: string;
  /** A new one-time key for the link. */
  readonly mint: () => string;
  /** Told before the first request. */
  readonly setPort: (port: number) => void;
  /** Ends streams, stops runs, closes files. */
  readonly close: (ms: number) => Promise<void>;
}

const HOST_IN_URL = { "127.0.0.1": "127.0.0.1", localhost: "127.0.0.1", "::1": "[::1]" } as const;

const listenOn = (server: Server, port: number, host: string): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      if (error.code === "EADDRINUSE") resolve(null);
      else reject(error);
    };
    server.once("error", failed);
    server.listen({ port, host }, () => {
      server.off("error", failed);
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });

/** Listens on the asked port, or on the next free one where none was asked for. Null when nothing is free. */
const listen = async (server: Server, config: ServerConfig): Promise<number | null> => {
  const host = config.host === "localhost" ? "127.0.0.1" : config.host;
  const tries = config.portGiven ? 1 : PORTS_TO_TRY;
  for (let more = 0; more < tries; more++) {
    const port = await listenOn(server, config.port + more, host);
    if (port !== null) return port;
  }
  return null;
};

/** `localhost` may mean ::1 to a browser: there too, if the machine has it. */
const listenTwice = async (
  listener: RequestListener,
  port: number,
  host: ServerConfig["host"],
): Promise<Server | null> => {
  if (host !== "127.0.0.1") return null;
  const second = httpServer(listener);
  try {
    return (await listenOn(second, port, "::1")) === null ? null : second;
  } catch {
    return null;
  }
};

const untilStopped = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });

const serve = async (parts: ServerParts, config: ServerConfig, io: VerbIo): Promise<number> => {
  const listener = getRequestListener(parts.app.fetch);
  const server = httpServer((request, response) => void listener(request, response));
  const port = await listen(server, config);
  if (port === null) {
    io.err(`Port ${config.port} is taken. Choose another with --port, or --port 0 for any.\n`);
    await parts.close(0);
    return 1;
  }
  parts.setPort(port);
  const second = await listenTwice(
    (request, response) => void listener(request, response),
    port,
    config.host,
  );
  const url = `http://${HOST_IN_URL[config.host]}:${port}`;
  await writeServerFile(config.dataDir, {
    url,
    token: parts.token,
    pid: process.pid,
    version: parts.version,
  });
  const stopped = untilStopped();
  const link = `${url}/#key=${parts.mint()}`;
  io.out(`Espalier ready on ${link}\n`);
  if (config.openBrowser) openBrowser(link, io.env);
  await stopped;
  try {
    await parts.close(STOP_MS);
    return 0;
  } finally {
    await Promise.all([closeServer(server), closeServer(second)]);
    await removeServerFile(config.dataDir, process.pid);
  }
};

/** Says where the running server is; false when the lock's holder does not answer. */
const pointToRunning = async (config: ServerConfig, io: VerbIo): Promise<boolean> => {
  const running = await readServerFile(config.dataDir);
  const link = running && (await freshLink(running));
  if (!link) return false;
  io.out(`Espalier ready on ${link}\n`);
  if (config.openBrowser) openBrowser(link, io.env);
  return true;
};

/** Serves the page and the API until it is told to stop. `compose` builds the server; only the composition root can. */
export const startVerb = (compose: (config: ServerConfig) => Promise<ServerParts>): Verb => ({
  usage: "start [FOLDER] [--port N] [--host H] [--data-dir D] [--pi-dir D] [--no-open]",
  run: async (argv, io) => {
    let config: ServerConfig;
    try {
      config = serverConfig(argv, io.env);
    } catch (error) {
      io.err(`${problemOf(error).message}\n`);
      return 2;
    }
    await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
    const release = takeLock(config.dataDir);
    if (!release) {
      if (await pointToRunning(config, io)) return 0;
      io.err(
        `Another server holds ${config.dataDir} but does not answer. Stop it, or use another --data-dir.\n`,
      );
      return 1;
    }
    try {
      return await serve(await compose(config), config, io);
    } catch (error) {
      io.err(`${problemOf(error).message}\n`);
      return 1;
    } finally {
      release();
    }
  },
});
