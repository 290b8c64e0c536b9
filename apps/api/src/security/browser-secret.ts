import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { readJsonFile, writeJsonFile } from "../files/json-file.ts";
import { newBrowserSecret } from "./keyring.ts";

const BrowserFile = Type.Object({ secret: Type.String({ minLength: 32 }) });

/** The secret of the renewal cookie, kept in `<data-dir>/browser.json` (0600) so that open tabs outlive a restart. */
export const browserSecret = async (dataDir: string): Promise<string> => {
  const path = join(dataDir, "browser.json");
  // A damaged file only means that tabs need a fresh link.
  const held = await readJsonFile(path, BrowserFile).catch(() => null);
  if (held) return held.secret;
  const secret = newBrowserSecret();
  await writeJsonFile(path, { secret });
  return secret;
};
