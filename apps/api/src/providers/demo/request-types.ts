/** One thing the script can do with a tool. */
export type Action =
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "list"; readonly path: string }
  | { readonly kind: "search"; readonly pattern: string; readonly path: string }
  | { readonly kind: "findFiles"; readonly pattern: string; readonly path: string }
  | { readonly kind: "run"; readonly command: string }
  | { readonly kind: "edit"; readonly path: string; readonly oldText: string; readonly newText: string }
  | { readonly kind: "write"; readonly path: string; readonly content: string };

/** A question about what the tools gave. */
export type Ask =
  /** The value of a named thing: a key of JSON, "key: value", "key = value". */
  | { readonly kind: "value"; readonly key: string }
  | { readonly kind: "count"; readonly what: "lines" | "words" | "characters" | "files" | "matches" }
  | { readonly kind: "line"; readonly which: "first" | "last" }
  | { readonly kind: "contains"; readonly text: string }
  | { readonly kind: "outcome" }
  | { readonly kind: "gist" };

/** A request in plain words, understood. Steps follow one another; the actions of one step are called together. */
export interface ParsedRequest {
  readonly steps: readonly (readonly Action[])[];
  readonly asks: readonly Ask[];
  /** Parts that made no sense, as they were written. */
  readonly unclear: readonly string[];
  readonly small: "hello" | "help" | "thanks" | null;
}
