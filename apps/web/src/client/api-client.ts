import { ProblemError } from "@espalier/core";
import type {
  Command,
  CommandAnswer,
  Comparison,
  EntryBody,
  EntryId,
  ErrorAnswer,
  FileList,
  ModelList,
  NewSessionAnswer,
  PathWindow,
  ProviderKeyAnswer,
  SearchAnswer,
  SessionId,
  SessionList,
  Settings,
  Snapshot,
  TrashAnswer,
  TrashList,
  WorkspaceInfo,
} from "@espalier/protocol";
import type { KeyRing } from "./key-ring.ts";
import type { Transport, TransportAnswer, TransportRequest, TransportStream } from "./transport.ts";

type Method = TransportRequest["method"];

const session = (id: SessionId): string => `/api/sessions/${encodeURIComponent(id)}`;
const query = (fields: Readonly<Record<string, string | number | undefined>>): string => {
  const set = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) set.set(name, String(value));
  const text = set.toString();
  return text === "" ? "" : `?${text}`;
};

const failure = (status: number, body: unknown): ProblemError => {
  const problem = (body as Partial<ErrorAnswer> | null)?.error;
  if (problem) return new ProblemError(problem.code, problem.message, { detail: problem.detail });
  return new ProblemError(
    status === 401 ? "unauthorized" : "internal",
    `The server answered with status ${status}.`,
  );
};

/**
 * The server's API, typed. Every call throws ProblemError: the server's own, `unauthorized` when the page has no key and
 * cannot renew it, or `io` when the server is not there.
 */
export class ApiClient {
  readonly #transport: Transport;
  readonly #keys: KeyRing;
  readonly #signedOut: () => void;

  /** `signedOut` is called each time a call fails for want of a key. */
  constructor(transport: Transport, keys: KeyRing, signedOut: () => void) {
    this.#transport = transport;
    this.#keys = keys;
    this.#signedOut = signedOut;
  }

  sessions(): Promise<SessionList> {
    return this.#json("GET", "/api/sessions");
  }
  search(text: string, limit: number): Promise<SearchAnswer> {
    return this.#json("GET", `/api/search${query({ q: text, limit })}`);
  }
  /** Moves a session to the trash; the ticket brings it back. */
  discardSession(id: SessionId): Promise<TrashAnswer> {
    return this.#json("DELETE", session(id));
  }
  trash(): Promise<TrashList> {
    return this.#json("GET", "/api/trash");
  }
  restoreSession(ticket: string): Promise<NewSessionAnswer> {
    return this.#json("POST", `/api/trash/${encodeURIComponent(ticket)}/restore`, {});
  }
  createSession(cwd?: string): Promise<NewSessionAnswer> {
    return this.#json("POST", "/api/sessions", cwd === undefined ? {} : { cwd });
  }
  /** `at`: the entry to read the path of, when it is not the session's leaf. `limit`: items of the window. */
  snapshot(id: SessionId, at?: EntryId, limit?: number): Promise<Snapshot> {
    return this.#json("GET", `${session(id)}${query({ at, limit })}`);
  }
  /** Items `from` (included) to `to` (excluded) of the path that ends at `leaf`. */
  items(id: SessionId, leaf: EntryId, from: number, to: number): Promise<PathWindow> {
    return this.#json("GET", `${session(id)}/items${query({ leaf, from, to })}`);
  }
  /** What the branches through two entries came to since they parted. */
  compare(id: SessionId, a: EntryId, b: EntryId): Promise<Comparison> {
    return this.#json("GET", `${session(id)}/compare${query({ a, b })}`);
  }
  /** A repeat of the same `commandId` is done once, so a lost answer may be asked for again. */
  command(id: SessionId, command: Command): Promise<CommandAnswer> {
    return this.#json("POST", `${session(id)}/commands`, command);
  }
  entry(id: SessionId, entry: EntryId): Promise<EntryBody> {
    return this.#json("GET", `${session(id)}/entries/${encodeURIComponent(entry)}`);
  }
  /** The whole text of block `index` of an entry. */
  blockText(id: SessionId, entry: EntryId, index: number): Promise<{ text: string }> {
    return this.#json("GET", `${session(id)}/entries/${encodeURIComponent(entry)}/blocks/${index}`);
  }
  /** The bytes of an image block. */
  async blockImage(id: SessionId, entry: EntryId, index: number): Promise<Blob> {
    const path = `${session(id)}/entries/${encodeURIComponent(entry)}/blocks/${index}`;
    return (await this.#send("GET", path)).blob();
  }
  models(): Promise<ModelList> {
    return this.#json("GET", "/api/models");
  }
  settings(): Promise<Settings> {
    return this.#json("GET", "/api/settings");
  }
  saveSettings(settings: Settings): Promise<Settings> {
    return this.#json("PUT", "/api/settings", settings);
  }
  files(search: string, id?: SessionId): Promise<FileList> {
    return this.#json("GET", `/api/files${query({ q: search, session: id })}`);
  }
  workspace(): Promise<WorkspaceInfo> {
    return this.#json("GET", "/api/workspace");
  }
  saveProviderKey(provider: string, key: string): Promise<ProviderKeyAnswer> {
    return this.#json("PUT", `/api/providers/${encodeURIComponent(provider)}/key`, { key });
  }
  importSession(name: string, text: string): Promise<NewSessionAnswer> {
    return this.#json("POST", "/api/import", { name, text });
  }
  subscribe(sessions: readonly SessionId[], stream: string): Promise<unknown> {
    return this.#json("POST", "/api/subscribe", { sessions, stream });
  }

  /** Opens the event stream; `lastEventId` asks for what was missed since. */
  async events(lastEventId: string, signal: AbortSignal): Promise<TransportStream> {
    const open = () =>
      this.#transport.stream({
        method: "GET",
        path: "/api/events",
        headers: { ...this.#headers(), ...(lastEventId === "" ? {} : { "Last-Event-ID": lastEventId }) },
        signal,
      });
    let stream = await open();
    if (stream.status === 401 && (await this.#keys.renew())) stream = await open();
    if (stream.status === 401) this.#signedOut();
    if (stream.status !== 200) throw failure(stream.status, null);
    return stream;
  }

  #headers(): Record<string, string> {
    const { token } = this.#keys;
    return token === null ? {} : { "X-Espalier-Token": token };
  }

  async #json<Answer>(method: Method, path: string, body?: unknown): Promise<Answer> {
    return (await (await this.#send(method, path, body)).json()) as Answer;
  }

  async #send(method: Method, path: string, body?: unknown): Promise<TransportAnswer> {
    const once = () =>
      this.#transport.request({
        method,
        path,
        headers: this.#headers(),
        ...(body === undefined ? {} : { body }),
      });
    try {
      let answer = await once();
      if (answer.status === 401 && (await this.#keys.renew())) answer = await once();
      if (answer.status === 401) this.#signedOut();
      if (answer.status >= 400) throw failure(answer.status, await answer.json());
      return answer;
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      throw new ProblemError("io", "The server cannot be reached. Is it running? Start it with npm start.", {
        cause: error,
      });
    }
  }
}
