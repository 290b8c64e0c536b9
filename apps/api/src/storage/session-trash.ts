import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { ProblemError, type SessionTrash } from "@espalier/core";
import { type SessionId, type SessionInfo, TrashedSession } from "@espalier/protocol";
import { Value } from "@sinclair/typebox/value";
import { diskProblem, systemCode } from "./disk-problem.ts";
import { diskFs, type Fs } from "./fs.ts";
import { readChunks } from "./read-spans.ts";

const TICKET = /^[0-9TZ-]{10,40}-[0-9a-f]{8}$/;
/** Where a second name cannot be given: another disk, or a file system without them. */
const NO_LINK = ["EXDEV", "EPERM", "ENOTSUP", "ENOSYS", "EOPNOTSUPP"];

/**
 * `<data-dir>/trash`: each deleted file under its ticket, beside it a small file that says where it came from. A session is always
 * whole under one of both names, whenever the machine stops.
 */
export class FileTrash implements SessionTrash {
  readonly #folder: string;
  readonly #fs: Fs;
  readonly #now: () => number;

  constructor(folder: string, now: () => number, fs: Fs = diskFs) {
    this.#folder = folder;
    this.#now = now;
    this.#fs = fs;
  }

  async discard({ id, path, root, name, firstMessage }: SessionInfo): Promise<string> {
    const time = new Date(this.#now()).toISOString();
    const ticket = `${time.replace(/[:.]/g, "-")}-${randomBytes(4).toString("hex")}`;
    const note: TrashedSession = { ticket, id, path, root, name: name ?? firstMessage.slice(0, 200), time };
    try {
      await this.#fs.mkdir(this.#folder);
      await this.#write(this.#note(ticket), Buffer.from(`${JSON.stringify(note)}\n`));
      try {
        await this.#move(path, this.#file(ticket));
      } catch (error) {
        await this.#fs.unlink(this.#note(ticket)).catch(() => undefined);
        throw error;
      }
    } catch (error) {
      throw diskProblem(error, `Moving ${path} to the trash`);
    }
    return ticket;
  }

  async restore(ticket: string): Promise<SessionId> {
    const note = await this.#read(ticket);
    if (note === null || this.#fs.stat(this.#file(ticket)) === null)
      throw new ProblemError("not_found", `There is no ${ticket} in the trash.`);
    try {
      await this.#fs.mkdir(dirname(note.path));
      await this.#move(this.#file(ticket), note.path);
    } catch (error) {
      if (systemCode(error) === "EEXIST")
        throw new ProblemError("conflict", `${note.path} is there again; move that file away first.`);
      throw diskProblem(error, `Bringing ${note.path} back`);
    }
    await this.#fs.unlink(this.#note(ticket)).catch(() => undefined);
    return note.id;
  }

  async discarded(): Promise<TrashedSession[]> {
    const names = (await this.#fs.readdir(this.#folder)).map(({ name }) => name);
    const tickets = names.flatMap((name) =>
      name.endsWith(".jsonl") && names.includes(`${name.slice(0, -6)}.json`) ? [name.slice(0, -6)] : [],
    );
    const notes = await Promise.all(
      tickets
        .sort()
        .reverse()
        .map((ticket) => this.#read(ticket)),
    );
    return notes.flatMap((note) => note ?? []);
  }

  #file(ticket: string): string {
    return join(this.#folder, `${ticket}.jsonl`);
  }

  #note(ticket: string): string {
    return join(this.#folder, `${ticket}.json`);
  }

  async #read(ticket: string): Promise<TrashedSession | null> {
    if (!TICKET.test(ticket)) return null;
    try {
      const note: unknown = JSON.parse((await this.#bytes(this.#note(ticket))).toString());
      return Value.Check(TrashedSession, note) ? note : null;
    } catch {
      return null;
    }
  }

  /** The new name, on the disk; then the old one goes. A name that is taken fails with EEXIST and changes nothing. */
  async #move(from: string, to: string): Promise<void> {
    try {
      await this.#fs.link(from, to);
    } catch (error) {
      if (!NO_LINK.includes(systemCode(error) ?? "")) throw error;
      await this.#copy(from, to);
    }
    await this.#fs.syncFolder(dirname(to));
    await this.#fs.unlink(from);
    await this.#fs.syncFolder(dirname(from)).catch(() => undefined);
  }

  /** Under a name that no list takes for a session, until it is whole. */
  async #copy(from: string, to: string): Promise<void> {
    const staging = join(dirname(to), `.moved.staging-${randomBytes(4).toString("hex")}`);
    try {
      await this.#write(staging, await this.#bytes(from));
      await this.#fs.link(staging, to).catch(async (error: unknown) => {
        if (!NO_LINK.includes(systemCode(error) ?? "")) throw error;
        await this.#write(to, await this.#bytes(from));
      });
    } finally {
      await this.#fs.unlink(staging).catch(() => undefined);
    }
  }

  async #bytes(path: string): Promise<Buffer> {
    const file = await this.#fs.open(path, "read");
    try {
      const chunks: Uint8Array[] = [];
      for await (const chunk of readChunks(file, 0)) chunks.push(chunk);
      return Buffer.concat(chunks);
    } finally {
      await file.close();
    }
  }

  async #write(path: string, bytes: Uint8Array): Promise<void> {
    const file = await this.#fs.open(path, "create");
    try {
      for (let taken = 0; taken < bytes.length; ) {
        const count = file.write(bytes.subarray(taken));
        if (count === 0) throw new ProblemError("disk_full", `The disk takes no more bytes of ${path}.`);
        taken += count;
      }
      await file.datasync();
    } finally {
      await file.close();
    }
  }
}
