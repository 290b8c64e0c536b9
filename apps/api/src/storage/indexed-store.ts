import type { AnyEntry, SessionStore, StoredSession } from "@espalier/core";
import type { SessionHeader, SessionId, SessionInfo } from "@espalier/protocol";
import type { JsonlStore } from "./jsonl-store.ts";
import type { SessionIndex } from "./session-index.ts";

/** Session files whose list comes from the index. */
export class IndexedStore implements SessionStore {
  readonly #store: JsonlStore;
  readonly #index: SessionIndex;

  constructor(store: JsonlStore, index: SessionIndex) {
    this.#store = store;
    this.#index = index;
  }

  list(): Promise<SessionInfo[]> {
    return this.#index.list();
  }

  open(id: SessionId): Promise<StoredSession> {
    return this.#watched(this.#store.open(id));
  }

  create(header: SessionHeader, entries: readonly AnyEntry[]): Promise<StoredSession> {
    return this.#watched(this.#store.create(header, entries));
  }

  createFrom(header: SessionHeader, text: string): Promise<StoredSession> {
    return this.#watched(this.#store.createFrom(header, text));
  }

  async #watched(opened: Promise<StoredSession>): Promise<StoredSession> {
    const session = await opened;
    this.#index.watch(session.path);
    return session;
  }
}
