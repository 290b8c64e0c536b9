import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProblemError } from "@espalier/core";
import { type SessionInfo, sessionId } from "@espalier/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FaultyFs } from "./faulty-fs.ts";
import { diskFs, type Fs } from "./fs.ts";
import { FileTrash } from "./session-trash.ts";

let folder: string;
let path: string;
let info: SessionInfo;
const body = "a session\nof two lines\n";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "espalier-trash-"));
  mkdirSync(join(folder, "sessions"));
  path = join(folder, "sessions", "a.jsonl");
  writeFileSync(path, body);
  info = {
    id: sessionId("a"),
    path,
    root: "pi",
    cwd: "/",
    firstMessage: "hi",
    created: "",
    modified: "",
    messageCount: 1,
  };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const trashOf = (fs: Fs = diskFs): FileTrash => new FileTrash(join(folder, "trash"), () => 0, fs);
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => (error instanceof ProblemError ? error.code : error),
  );
const inSessions = (): string[] => readdirSync(join(folder, "sessions"));

/** A disk that is another than the trash's: no second names across. */
const otherDisk = (fs: Fs): Fs =>
  new Proxy(fs, {
    get: (on, name) => {
      if (name !== "link") return Reflect.get(on, name).bind(on);
      return (from: string, to: string) =>
        from.includes(".staging-")
          ? on.link(from, to)
          : Promise.reject(Object.assign(new Error("EXDEV: other disk"), { code: "EXDEV" }));
    },
  });

describe("the trash", () => {
  for (const [name, fs] of [
    ["on one disk", diskFs],
    ["on two disks", otherDisk(diskFs)],
  ] as const) {
    it(`takes a file and gives it back, ${name}`, async () => {
      const ticket = await trashOf(fs).discard(info);
      expect(inSessions()).toEqual([]);
      expect(await trashOf(fs).discarded()).toMatchObject([
        { ticket, id: "a", path, root: "pi", name: "hi" },
      ]);
      expect(await trashOf(fs).restore(ticket)).toBe("a");
      expect(readFileSync(path, "utf8")).toBe(body);
      expect(readdirSync(join(folder, "trash"))).toEqual([]);
    });
  }

  it("replaces nothing", async () => {
    const ticket = await trashOf().discard(info);
    writeFileSync(path, "another");
    expect(await codeOf(trashOf().restore(ticket))).toBe("conflict");
    expect(readFileSync(path, "utf8")).toBe("another");
    expect(await trashOf().discarded()).toHaveLength(1);
  });

  it("loses nothing, whatever operation fails or is the last", async () => {
    for (const disk of [(fs: Fs) => fs, otherDisk]) {
      for (const kind of ["crash", "EIO"] as const) {
        for (let at = 1, failed = true; failed; at += 1) {
          const fs = new FaultyFs(diskFs, { at, kind });
          failed = (await codeOf(trashOf(disk(fs)).discard(info))) !== null;
          const [held] = await trashOf().discarded();
          const kept = inSessions().includes("a.jsonl")
            ? path
            : join(folder, "trash", `${held?.ticket}.jsonl`);
          expect(readFileSync(kept, "utf8")).toBe(body);
          rmSync(join(folder, "trash"), { recursive: true, force: true });
          for (const name of inSessions()) rmSync(join(folder, "sessions", name));
          writeFileSync(path, body);
        }
      }
    }
  });
});
