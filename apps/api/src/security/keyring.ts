import { randomBytes, timingSafeEqual } from "node:crypto";
import { ProblemError } from "@espalier/core";

/** A one-time key waits this long to be used, ms. */
const KEY_LIFE_MS = 15 * 60_000;
/** After this many wrong tokens within a minute every call is refused until the minute is over. */
const WRONG_PER_MINUTE = 60;

const equal = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

const secret = (): string => randomBytes(32).toString("base64url");

/**
 * Who may call. `token` authorises, changes with every launch and is given out for a one-time key (printed to the terminal,
 * carried in the address's fragment) or for the browser's renewal cookie, whose secret outlives a restart.
 */
export class Keyring {
  readonly token: string = secret();
  readonly #browserSecret: string;
  readonly #now: () => number;
  readonly #keys = new Map<string, number>();
  #wrong: number[] = [];

  constructor(browserSecret: string, now: () => number) {
    this.#browserSecret = browserSecret;
    this.#now = now;
  }

  /** A new one-time key. */
  mint(): string {
    const key = secret();
    this.#keys.set(key, this.#now() + KEY_LIFE_MS);
    return key;
  }

  /** Takes a one-time key and gives the token; a second use fails. Throws `unauthorized`. */
  exchange(key: string): string {
    this.#throttle();
    for (const [known, until] of this.#keys) {
      if (until < this.#now()) this.#keys.delete(known);
      else if (equal(known, key)) {
        this.#keys.delete(known);
        return this.token;
      }
    }
    return this.#refuse("This link was used before or is too old. Run `npx espalier open` for a fresh one.");
  }

  /** Value of the renewal cookie. It authorises no call. */
  get cookie(): string {
    return this.#browserSecret;
  }

  /** Throws `unauthorized` unless the cookie is ours. */
  renew(cookie: string | undefined): string {
    this.#throttle();
    if (cookie !== undefined && equal(cookie, this.#browserSecret)) return this.token;
    return this.#refuse("This browser has no key yet. Run `npx espalier open` for a fresh link.");
  }

  /** Throws `unauthorized` unless `token` is this launch's. */
  authorise(token: string | undefined): void {
    if (token !== undefined && equal(token, this.token)) return;
    this.#throttle();
    this.#refuse("The call carries no valid token. Run `npx espalier open` for a fresh link.");
  }

  #throttle(): void {
    const since = this.#now() - 60_000;
    this.#wrong = this.#wrong.filter((at) => at > since);
    if (this.#wrong.length >= WRONG_PER_MINUTE)
      throw new ProblemError("too_many", "Too many wrong keys. Wait a minute.");
  }

  #refuse(why: string): never {
    this.#wrong.push(this.#now());
    throw new ProblemError("unauthorized", why);
  }
}

/** A secret for the renewal cookie. */
export const newBrowserSecret = secret;
