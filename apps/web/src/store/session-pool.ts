import type { SessionId } from "@espalier/protocol";
import type { SharedStream } from "../client/shared-stream.ts";
import { type Choice, type Scheduler, type SessionApi, SessionClient } from "./session-store.ts";

/** Sessions that stay open behind the one that is shown, so that going back is at once. */
const HELD = 4;

/** What one tab tells the others was chosen for a session's next message. */
interface ChoiceWord {
  readonly session: SessionId;
  readonly choice: Choice;
}

export interface ChoiceChannel {
  readonly post: (word: ChoiceWord) => void;
  readonly listen: (listener: (word: ChoiceWord) => void) => void;
}

/** The other tabs of this browser. */
export const browserChoices = (): ChoiceChannel => {
  const channel = new BroadcastChannel("espalier.choice");
  return {
    post: (word) => channel.postMessage(word),
    listen: (listener) => {
      channel.onmessage = (event: MessageEvent<ChoiceWord>) => listener(event.data);
    },
  };
};

/** The sessions this page holds open. The stream is told about them before a snapshot is read, so nothing is missed. */
export class SessionPool {
  readonly #api: SessionApi;
  readonly #stream: Pick<SharedStream, "show" | "onFrames">;
  readonly #schedule: Scheduler;
  readonly #open = new Map<SessionId, SessionClient>();

  readonly #choices: ChoiceChannel;

  constructor(
    api: SessionApi,
    stream: Pick<SharedStream, "show" | "onFrames">,
    schedule: Scheduler,
    choices: ChoiceChannel,
  ) {
    this.#choices = choices;
    choices.listen(({ session, choice }) => this.#open.get(session)?.hearChoice(choice));
    this.#api = api;
    this.#stream = stream;
    this.#schedule = schedule;
  }

  /** The session's client; the longest unused one beyond the limit is closed. */
  open(id: SessionId): SessionClient {
    const known = this.#open.get(id);
    if (known) {
      this.#open.delete(id);
      this.#open.set(id, known);
      return known;
    }
    const client = new SessionClient(id, this.#api, this.#stream, this.#schedule, (choice) =>
      this.#choices.post({ session: id, choice }),
    );
    this.#open.set(id, client);
    for (const [oldest, old] of this.#open) {
      if (this.#open.size <= HELD) break;
      old.close();
      this.#open.delete(oldest);
    }
    return client;
  }

  /** Reads all open sessions again. */
  async reload(): Promise<void> {
    await Promise.all([...this.#open.values()].map((client) => client.load()));
  }

  /** Tells the stream which sessions are open; wait for it before loading one. */
  follow(): Promise<void> {
    return this.#stream.show([...this.#open.keys()]);
  }
}
