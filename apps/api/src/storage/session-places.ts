import { type SessionHeader, type SessionId, type SessionInfo, sessionId } from "@espalier/protocol";
import type { SessionPlace } from "./jsonl-session.ts";
import { derivedId, isSafeId } from "./session-paths.ts";

/** Which id each session file goes by. Of several files with one header id the first seen keeps it, the others get a derived one. */
export class SessionPlaces {
  readonly #ofId = new Map<SessionId, SessionPlace>();
  readonly #idOf = new Map<string, SessionId>();

  byId(id: SessionId): SessionPlace | undefined {
    return this.#ofId.get(id);
  }

  byPath(path: string): SessionPlace | undefined {
    const id = this.#idOf.get(path);
    return id === undefined ? undefined : this.#ofId.get(id);
  }

  /** The place of a file under the id it goes by; gives it one when it is seen for the first time. */
  place(path: string, root: SessionInfo["root"], headerId: SessionHeader["id"]): SessionPlace {
    const known = this.#idOf.get(path);
    const own = sessionId(headerId);
    const free = isSafeId(headerId) && !this.#ofId.has(own);
    return this.remember({ id: known ?? (free ? own : sessionId(derivedId(headerId, path))), path, root });
  }

  remember(place: SessionPlace): SessionPlace {
    this.#ofId.set(place.id, place);
    this.#idOf.set(place.path, place.id);
    return place;
  }
}
