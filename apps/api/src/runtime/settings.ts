import { join } from "node:path";
import { DEFAULT_RETRY, type DrainMode, type Retry } from "@espalier/core";
import { Settings } from "@espalier/protocol";
import { readJsonFile, writeJsonFile } from "../files/json-file.ts";

/** `<data-dir>/settings.json`: read afresh on every use, since a person edits it too; written whole before it is answered. */
export class SettingsFile {
  readonly path: string;
  #last: Settings = {};

  constructor(dataDir: string) {
    this.path = join(dataDir, "settings.json");
  }

  /** Throws `bad_request` naming the field when the file does not fit. */
  async read(): Promise<Settings> {
    return (await readJsonFile(this.path, Settings)) ?? {};
  }

  /** The settings that hold: those of the file, or, while it does not fit, those that were read last. Never throws. */
  async current(): Promise<Settings> {
    this.#last = await this.read().catch(() => this.#last);
    return this.#last;
  }

  /** What was read last: for those who cannot wait. */
  get last(): Settings {
    return this.#last;
  }

  /** Throws `bad_request` when the file does not fit: a person's slip is not to be written over. */
  async write(settings: Settings): Promise<Settings> {
    await this.read();
    await writeJsonFile(this.path, settings);
    return settings;
  }
}

/** pi's defaults where nothing is set. */
export const drainMode = (settings: Settings, kind: "steer" | "follow_up"): DrainMode =>
  (kind === "steer" ? settings.steeringMode : settings.followUpMode) ?? "one-at-a-time";

export const retryOf = ({ retry }: Settings): Retry => ({
  enabled: retry?.enabled ?? DEFAULT_RETRY.enabled,
  maxRetries: retry?.maxRetries ?? DEFAULT_RETRY.maxRetries,
  baseDelayMs: retry?.baseDelayMs ?? DEFAULT_RETRY.baseDelayMs,
  maxDelayMs: DEFAULT_RETRY.maxDelayMs,
});

/** When what was written must be on the disk: after each step unless something else is set. */
export const durabilityOf = ({ durability }: Settings): NonNullable<Settings["durability"]> =>
  durability ?? "step";
