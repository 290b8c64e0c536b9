import type { Validator } from "@espalier/core";
import { Kind, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

const isTypeBox = (schema: object): schema is TSchema => Kind in schema;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Models send null for what they leave out. */
const withoutNulls = (
  args: Readonly<Record<string, unknown>>,
  required: readonly string[],
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(args).filter(([key, value]) => value !== null || required.includes(key)));

const shown = (value: unknown): string => {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}...` : text;
};

/** "/edits/0/oldText" as people write it: edits[0].oldText. */
const fieldName = (path: string): string =>
  path
    .split("/")
    .filter((part) => part !== "")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce(
      (name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : name === "" ? part : `${name}.${part}`),
      "",
    );

const MAX_ERRORS = 5;

/**
 * Checks arguments against a tool's TypeBox schema. Values of a near type are converted as pi does ("5" where a number is
 * wanted becomes 5). The error names each field, what was expected and what came.
 */
export const validateArguments: Validator = (schema, args) => {
  if (!isTypeBox(schema)) return { ok: false, error: "the schema of this tool cannot be checked" };
  const required = Array.isArray(schema.required)
    ? schema.required.filter((key) => typeof key === "string")
    : [];
  const value = Value.Convert(schema, Value.Clone(withoutNulls(args, required)));
  if (isRecord(value) && Value.Check(schema, value)) return { ok: true, value };
  const errors: string[] = [];
  const seen = new Set<string>();
  for (const { path, message, value: got } of Value.Errors(schema, value)) {
    // A missing field is reported twice: as missing and as of the wrong type.
    if (seen.has(path)) continue;
    seen.add(path);
    const name = fieldName(path);
    errors.push(
      `${name === "" ? "the arguments" : name}: ${message.charAt(0).toLowerCase()}${message.slice(1)}, got ${shown(got)}`,
    );
    if (errors.length === MAX_ERRORS) break;
  }
  return { ok: false, error: errors.join("; ") };
};
