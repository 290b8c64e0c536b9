import { readFile, stat } from "node:fs/promises";
import { ModelsFile, type Problem } from "@espalier/protocol";
import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { isObject, type JsonObject, parseJson } from "./json-access.ts";

export type FileProvider = Static<typeof ModelsFile>["providers"][string];

/** What `models.json` says, as far as it fits; each part that does not is a problem and is left out. */
export interface ModelsOverlay {
  readonly providers: ReadonlyMap<string, FileProvider>;
  readonly problems: readonly Problem[];
}

const nothing: ModelsOverlay = { providers: new Map(), problems: [] };

const [providerSchema = ModelsFile]: readonly TSchema[] = Object.values(
  ModelsFile.properties.providers.patternProperties,
);

/** The first misfit as "field: reason", or null. */
const misfit = (value: unknown, at: string): string | null => {
  const first = Value.Errors(providerSchema, value).First();
  if (!first) return null;
  const field = `${at}${first.path.replaceAll("/", ".")}`;
  return `${field}: ${first.message.charAt(0).toLowerCase()}${first.message.slice(1)}`;
};

const fits = (value: unknown): value is FileProvider => Value.Check(providerSchema, value);

/** A provider, and its models one by one: a wrong one does not take the others along. */
const readProvider = (id: string, value: JsonObject): { provider: FileProvider | null; wrong: string[] } => {
  const { models, ...rest } = value;
  const at = `providers.${id}`;
  const wrong: string[] = [];
  const list = Array.isArray(models) ? models : [];
  if (models !== undefined && !Array.isArray(models)) wrong.push(`${at}.models: expected array`);
  const kept: unknown[] = [];
  for (const [index, model] of list.entries()) {
    const reason = misfit({ models: [model] }, at)?.replace(".models.0", `.models.${index}`) ?? null;
    if (reason === null) kept.push(model);
    else wrong.push(reason);
  }
  const whole = models === undefined ? rest : { ...rest, models: kept };
  if (fits(whole)) return { provider: whole, wrong };
  return { provider: null, wrong: [...wrong, misfit(whole, at) ?? `${at}: does not fit`] };
};

/** Reads the text of a models file; `path` is for the messages. */
export const parseModelsFile = (text: string, path: string): ModelsOverlay => {
  const problem = (reason: string): Problem => ({
    code: "bad_request",
    message: `${path} does not fit, ${reason}. That part is left out.`,
  });
  const json = parseJson(text);
  if (json === undefined) return { ...nothing, problems: [problem("it is no valid JSON")] };
  const listed = isObject(json) ? json.providers : undefined;
  if (!isObject(listed)) return { ...nothing, problems: [problem("providers: expected object")] };
  const providers = new Map<string, FileProvider>();
  const problems: Problem[] = [];
  for (const [id, value] of Object.entries(listed)) {
    const { provider, wrong } = isObject(value)
      ? readProvider(id, value)
      : { provider: null, wrong: [`providers.${id}: expected object`] };
    if (provider && id !== "") providers.set(id, provider);
    problems.push(...wrong.map(problem));
  }
  return { providers, problems };
};

/** Reads the file again whenever it has changed; a missing one says nothing. */
export const modelsFileReader = (path: string): (() => Promise<ModelsOverlay>) => {
  let stamp = "";
  let held = nothing;
  return async () => {
    try {
      const about = await stat(path);
      const now = `${about.mtimeMs} ${about.size} ${about.ino}`;
      if (now !== stamp) {
        held = parseModelsFile(await readFile(path, "utf8"), path);
        stamp = now;
      }
      return held;
    } catch (error) {
      stamp = "";
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return nothing;
      const reason = error instanceof Error ? error.message : String(error);
      return { ...nothing, problems: [{ code: "io", message: `${path} cannot be read: ${reason}.` }] };
    }
  };
};

export type Expanded =
  | { readonly value: string }
  | { readonly missing: string }
  | { readonly refused: string };

/**
 * A value of the file with its variables put in: `$NAME`, `${NAME}`; `$$` is a dollar sign and `$!` an exclamation mark.
 * `!command`, which pi runs, is not run.
 */
export const expandValue = (text: string, env: NodeJS.ProcessEnv): Expanded => {
  if (text.startsWith("!")) return { refused: 'commands ("!...") are not run; name a variable with $NAME' };
  let missing: string | undefined;
  const value = text.replaceAll(/\$(?:([$!])|\{(\w+)\}|(\w+))/g, (_all, sign, braced, bare) => {
    if (typeof sign === "string") return sign;
    const name = String(braced ?? bare);
    const found = env[name];
    if (found === undefined || found === "") missing ??= name;
    return found ?? "";
  });
  return missing === undefined ? { value } : { missing };
};
