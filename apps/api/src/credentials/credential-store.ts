import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { readJsonFile, writeJsonFile } from "../files/json-file.ts";
import { masked } from "./masked.ts";

const CredentialFile = Type.Record(
  Type.String(),
  Type.Object({ type: Type.Literal("api_key"), key: Type.String() }),
);

/** `<data-dir>/credentials.json`, mode 0600: keys a person entered in the page. They leave it for requests only. */
export class CredentialStore {
  readonly path: string;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(dataDir: string) {
    this.path = join(dataDir, "credentials.json");
  }

  async read(provider: string): Promise<string | undefined> {
    return (await readJsonFile(this.path, CredentialFile))?.[provider]?.key;
  }

  /** Keeps the key; answers how it may be shown. */
  set(provider: string, key: string): Promise<string> {
    const done = this.#writing.then(async () => {
      const held = (await readJsonFile(this.path, CredentialFile)) ?? {};
      await writeJsonFile(this.path, { ...held, [provider]: { type: "api_key", key } });
      return masked(key);
    });
    this.#writing = done.catch(() => undefined);
    return done;
  }
}
