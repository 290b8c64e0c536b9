import type { CommandAnswer, CommandId, SessionId } from "@espalier/protocol";

const KEPT_MS = 10 * 60_000;

interface Kept {
  readonly at: number;
  readonly answer: Promise<CommandAnswer>;
}

/** Answers by command id, so that a command whose answer was lost on the way can be sent again and is done once. */
export class AnswerBook {
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The answer known under this id, or that of `work`. A failed command may be tried again under the same id. */
  once(
    session: SessionId,
    id: CommandId | undefined,
    work: () => Promise<CommandAnswer>,
  ): Promise<CommandAnswer> {
    if (id === undefined) return work();
    this.#forget();
    const key = `${session} ${id}`;
    const known = this.#kept.get(key);
    if (known) return known.answer;
    const answer = work();
    this.#kept.set(key, { at: this.#now(), answer });
    answer.catch(() => this.#kept.delete(key));
    return answer;
  }

  #forget(): void {
    const oldest = this.#now() - KEPT_MS;
    for (const [key, { at }] of this.#kept) {
      if (at >= oldest) return;
      this.#kept.delete(key);
    }
  }
}
