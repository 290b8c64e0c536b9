import { basename, dirname, join } from "node:path";
import { ProblemError } from "@espalier/core";
import { systemCode } from "./disk-problem.ts";
import type { Fs, OpenFile } from "./fs.ts";

/** File systems without second names (exFAT, some network shares) say so with one of these. */
const NO_LINKS = ["EPERM", "ENOTSUP", "ENOSYS", "EOPNOTSUPP"];

/** A whole new file, its bytes on the disk; nothing is left of one that could not be written. */
const writeNew = async (fs: Fs, path: string, bytes: Uint8Array): Promise<void> => {
  const file = await fs.open(path, "create");
  try {
    for (let taken = 0; taken < bytes.length; ) {
      const count = file.write(bytes.subarray(taken));
      if (count === 0) throw new ProblemError("io", "The disk takes no more bytes.");
      taken += count;
    }
    await file.datasync();
  } catch (error) {
    await file.close().catch(() => undefined);
    await fs.unlink(path).catch(() => undefined);
    throw error;
  }
  await file.close();
};

/** Makes a folder and those above it, and their names safe. */
export const makeFolder = async (fs: Fs, folder: string): Promise<void> => {
  const missing: string[] = [];
  for (let at = folder; fs.stat(at) === null && dirname(at) !== at; at = dirname(at)) missing.push(at);
  await fs.mkdir(folder);
  for (const made of missing) await fs.syncFolder(dirname(made));
};

/**
 * Makes a file appear under its name whole or not at all: staging file, its bytes on the disk, its final name, the name on the disk.
 * Never over another: fails with EEXIST. Returns the file, open for reading. When it fails, nothing is there.
 */
export const publishFile = async (fs: Fs, path: string, bytes: Uint8Array): Promise<OpenFile> => {
  const folder = dirname(path);
  const staging = join(folder, `.${basename(path)}.staging-${crypto.randomUUID().slice(0, 8)}`);
  let reader: OpenFile | null = null;
  let named = false;
  try {
    await writeNew(fs, staging, bytes);
    reader = await fs.open(staging, "read");
    try {
      await fs.link(staging, path);
    } catch (error) {
      if (!NO_LINKS.includes(systemCode(error) ?? "")) throw error;
      await reader.close();
      reader = null;
      // Made in place then, still never over another.
      await writeNew(fs, path, bytes);
      named = true;
      reader = await fs.open(path, "read");
    }
    named = true;
    await fs.unlink(staging).catch(() => undefined);
    await fs.syncFolder(folder);
    return reader;
  } catch (error) {
    await reader?.close().catch(() => undefined);
    // Ours alone so far: who is told that it failed must be able to try again.
    if (named) await fs.unlink(path).catch(() => undefined);
    await fs.unlink(staging).catch(() => undefined);
    throw error;
  }
};
