import type { ToolCallId } from "@espalier/protocol";
import { toolCallId } from "@espalier/protocol";

/** What ids a provider takes. */
interface IdRule {
  readonly fits: RegExp;
  /** An id that fits, made of the unfit one and a hash of it. */
  readonly make: (id: string, hash: string) => string;
}

/** Safe for Anthropic (64 characters), OpenAI (40 for Chat Completions, 64 for Responses) and what imitates them. */
const COMMON: IdRule = {
  fits: /^[a-zA-Z0-9_-]{1,40}$/,
  make: (id, hash) => `${id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 31)}_${hash}`,
};
/** Mistral takes exactly nine letters or digits. */
const MISTRAL: IdRule = { fits: /^[a-zA-Z0-9]{9}$/, make: (_id, hash) => `c${hash}` };

/** 32 bits of a text as 8 hex digits (FNV-1a with a final mix), the same everywhere and for ever. */
const hash8 = (text: string): string => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash ^= text.charCodeAt(at);
    hash = Math.imul(hash, 0x01000193);
  }
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  return (hash >>> 0).toString(16).padStart(8, "0");
};

/**
 * Gives the calls of one request ids that the provider takes, each once. An id that fits and is new stays; any other becomes a
 * part of itself and a hash, the same in every request as long as the calls before it are the same.
 */
export class WireIds {
  readonly #rule: IdRule;
  readonly #uses = new Map<string, number>();
  readonly #given = new Set<string>();

  constructor(provider: string) {
    this.#rule = provider === "mistral" ? MISTRAL : COMMON;
  }

  /** The id for the next call that the model named `id`. */
  next(id: string): ToolCallId {
    const use = (this.#uses.get(id) ?? 0) + 1;
    this.#uses.set(id, use);
    let wire = use === 1 && this.#rule.fits.test(id) ? id : this.#rule.make(id, hash8(`${id}\n${use}`));
    for (let turn = 1; this.#given.has(wire); turn += 1)
      wire = this.#rule.make(id, hash8(`${id}\n${use}\n${turn}`));
    this.#given.add(wire);
    return toolCallId(wire);
  }
}
