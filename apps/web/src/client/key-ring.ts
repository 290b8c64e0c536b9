import type { KeyAnswer } from "@espalier/protocol";
import type { Transport } from "./transport.ts";

/** Where the page's token is kept: sessionStorage, or a plain map in tests. */
export interface TokenPlace {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

const PLACE = "espalier.token";

/**
 * The page's token. It is traded for the one-time code of the printed link, or renewed by the HttpOnly cookie (a second
 * tab, a restarted server). `token` null: not signed in.
 */
export class KeyRing {
  readonly #transport: Transport;
  readonly #place: TokenPlace;
  #renewing: Promise<boolean> | null = null;

  constructor(transport: Transport, place: TokenPlace) {
    this.#transport = transport;
    this.#place = place;
  }

  get token(): string | null {
    return this.#place.getItem(PLACE);
  }

  /** Trades the code of the printed link. False: it was used already, or is too old. */
  async exchange(key: string): Promise<boolean> {
    return this.#take("/api/key", { key });
  }

  /** Asks for a new token by the cookie. Several calls at once make one request. */
  async renew(): Promise<boolean> {
    this.#renewing ??= this.#take("/api/key/renew", {}).finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #take(path: string, body: unknown): Promise<boolean> {
    const answer = await this.#transport.request({ method: "POST", path, headers: {}, body });
    if (answer.status !== 200) {
      if (answer.status === 401) this.#place.removeItem(PLACE);
      return false;
    }
    const { token } = (await answer.json()) as KeyAnswer;
    this.#place.setItem(PLACE, token);
    return true;
  }
}

/** Takes `#key=...` out of an address: the code, and the address without it. */
export const takeKey = (hash: string): { key: string | null; hash: string } => {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const key = fields.get("key");
  fields.delete("key");
  const rest = fields.toString();
  return { key, hash: rest === "" ? "" : `#${rest}` };
};
