import type { EntryId } from "@espalier/protocol";

/** What the middle of a session's page shows. Every mode is an address. */
export type StageMode =
  /** The transcript of the path through `at`; null: to the session's leaf. */
  | { readonly kind: "talk"; readonly at: EntryId | null }
  | { readonly kind: "map"; readonly at: EntryId | null }
  | { readonly kind: "compare"; readonly a: EntryId; readonly b: EntryId }
  | { readonly kind: "compaction"; readonly id: EntryId }
  /** What a compaction of the path that is read would do, before it does it. */
  | { readonly kind: "preview" };

/** No entry is called so: ids are hexadecimal. */
const PREVIEW = "preview";

const named = (search: URLSearchParams, name: string): EntryId | null => {
  const value = search.get(name);
  return value === null || value === "" ? null : (value as EntryId);
};

/** The mode an address names: `?a=&b=`, `?compaction=`, `?view=map`, else the transcript. */
export const modeOf = (search: URLSearchParams): StageMode => {
  const [a, b, id] = [named(search, "a"), named(search, "b"), named(search, "compaction")];
  if (a !== null && b !== null) return { kind: "compare", a, b };
  if (id === PREVIEW) return { kind: "preview" };
  if (id !== null) return { kind: "compaction", id };
  return { kind: search.get("view") === "map" ? "map" : "talk", at: named(search, "at") };
};

/** The address of a mode, as the parameters behind `/s/:id`. */
export const searchOf = (mode: StageMode): Record<string, string> => {
  switch (mode.kind) {
    case "talk":
      return mode.at === null ? {} : { at: mode.at };
    case "map":
      return mode.at === null ? { view: "map" } : { view: "map", at: mode.at };
    case "compare":
      return { a: mode.a, b: mode.b };
    case "compaction":
      return { compaction: mode.id };
    case "preview":
      return { compaction: PREVIEW };
  }
};
