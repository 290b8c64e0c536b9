/** Reading of JSON that other programs wrote: every field may be missing or of another type. None of these throws. */
export type JsonObject = { readonly [key: string]: unknown };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const objectAt = (value: unknown, key: string): JsonObject | null => {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : null;
};

export const listAt = (value: unknown, key: string): readonly unknown[] => {
  const found: unknown = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
};

export const stringAt = (value: unknown, key: string): string | null => {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === "string" ? found : null;
};

export const numberAt = (value: unknown, key: string): number | null => {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === "number" && Number.isFinite(found) ? found : null;
};

/** The value of a JSON text, or undefined when it is none. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
