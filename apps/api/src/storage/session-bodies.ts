import { type AnyEntry, type EntrySpan, type ParsedSession, ProblemError, readLine } from "@espalier/core";
import type { EntryId, SessionId } from "@espalier/protocol";
import { BodyCache } from "./body-cache.ts";
import { diskProblem } from "./disk-problem.ts";
import type { OpenFile } from "./fs.ts";
import { readSpans } from "./read-spans.ts";

/** Where every entry of one file lies, and their bodies on demand. */
export class SessionBodies {
  readonly #of: { readonly id: SessionId; readonly path: string };
  readonly #version: number;
  readonly #spans: Map<EntryId, EntrySpan>;
  readonly #reader: OpenFile;
  readonly #cache = new BodyCache();

  constructor(
    of: { readonly id: SessionId; readonly path: string },
    parsed: ParsedSession,
    reader: OpenFile,
  ) {
    this.#of = of;
    this.#version = parsed.version;
    this.#spans = new Map(parsed.spans);
    this.#reader = reader;
  }

  /** Says where an entry that was written or found since lies. */
  place(id: EntryId, span: EntrySpan): void {
    this.#spans.set(id, span);
  }

  /** Bodies in the order asked for. Throws ProblemError `not_found`, `session_changed` or `io`. */
  async read(ids: readonly EntryId[]): Promise<AnyEntry[]> {
    const missing = ids.flatMap((id) => {
      if (this.#cache.has(id)) return [];
      const span = this.#spans.get(id);
      if (span === undefined)
        throw new ProblemError("not_found", `Entry ${id} is not in session ${this.#of.id}.`);
      return [{ id, span }];
    });
    const fresh = new Map<EntryId, AnyEntry>();
    try {
      for await (const { item, bytes } of readSpans(this.#reader, missing)) {
        const entry = readLine(bytes, item.id, this.#version, item.span.index);
        if (entry === null)
          throw new ProblemError("session_changed", `Entry ${item.id} of ${this.#of.path} has changed.`);
        fresh.set(item.id, entry);
      }
    } catch (error) {
      throw diskProblem(error, `Reading ${this.#of.path}`);
    }
    const entries = ids.map((id) => (fresh.get(id) ?? this.#cache.get(id)) as AnyEntry);
    for (const { id, span } of missing) this.#cache.set(id, fresh.get(id) as AnyEntry, span.end - span.start);
    return entries;
  }
}
