import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { readJsonFile, writeJsonFile } from "../files/json-file.ts";

const ServerFile = Type.Object({
  url: Type.String(),
  token: Type.String(),
  pid: Type.Number(),
  version: Type.String(),
});
/** `<data-dir>/server.json`: how programs of this user reach the running server. */
export type ServerFile = Static<typeof ServerFile>;

const pathOf = (dataDir: string): string => join(dataDir, "server.json");

export const writeServerFile = (dataDir: string, file: ServerFile): Promise<void> =>
  writeJsonFile(pathOf(dataDir), file);

/** Null when no server runs, as far as the file says. */
export const readServerFile = (dataDir: string): Promise<ServerFile | null> =>
  readJsonFile(pathOf(dataDir), ServerFile);

/** Removes the file unless another server has written it since. */
export const removeServerFile = async (dataDir: string, pid: number): Promise<void> => {
  try {
    const held = JSON.parse(await readFile(pathOf(dataDir), "utf8")) as { pid?: number };
    if (held.pid === pid) await rm(pathOf(dataDir), { force: true });
  } catch {
    // Gone already.
  }
};

/** A fresh link to the running server, or null when it does not answer. */
export const freshLink = async ({ url, token }: ServerFile): Promise<string | null> => {
  try {
    const response = await fetch(`${url}/api/key/mint`, {
      method: "POST",
      headers: { "X-Espalier-Token": token, "Content-Type": "application/json" },
      body: "{}",
      signal: AbortSignal.timeout(3000),
    });
    if (!response.ok) return null;
    const { key } = (await response.json()) as { key: string };
    return `${url}/#key=${key}`;
  } catch {
    return null;
  }
};
