import { type AnyEntry, ProblemError } from "@espalier/core";
import type { Command, EntryId, SessionId, Snapshot } from "@espalier/protocol";
import type { Rig } from "./service-rig.case.ts";

/** The code a promise fails with, or "nothing thrown". */
export const code = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "nothing thrown",
    (error: unknown) => (error instanceof ProblemError ? error.code : error),
  );

/** A message's role, else the entry's type. */
export const kindOf = (entry: AnyEntry): string => {
  const message = "message" in entry ? (entry.message as { role?: string }) : undefined;
  return entry.type === "message" ? String(message?.role) : entry.type;
};

export const textOf = (entry: AnyEntry | undefined): string => JSON.stringify(entry);

/** A tool call of a scripted answer. */
export const call = (id: string, name: string, path: string) => ({ id, name, arguments: { path } });

/** Short words for what the suites ask of a service, always about the rig `current` gives. */
export const probe = (current: () => Rig) => {
  const make = async (): Promise<SessionId> => (await current().service.create({})).id;
  const send = (id: SessionId, command: Command) => current().service.command(id, command);
  /** Sends a prompt and waits until its run is over. */
  const prompt = async (
    id: SessionId,
    text: string,
    more: Partial<Extract<Command, { type: "prompt" }>> = {},
  ) => {
    const answer = await send(id, { type: "prompt", text, ...more });
    await current().idle(id);
    return answer;
  };
  const kinds = async (id: SessionId): Promise<string[]> => (await current().entries(id)).map(kindOf);
  const snapshot = (id: SessionId): Promise<Snapshot> => current().service.snapshot(id, {});
  const leafOf = async (id: SessionId): Promise<EntryId | null> => (await snapshot(id)).leafId;
  const lastOf = async (id: SessionId, wanted: string): Promise<AnyEntry> => {
    const found = (await current().entries(id)).findLast((entry) => kindOf(entry) === wanted);
    if (!found) throw new Error(`no ${wanted}`);
    return found;
  };
  return { make, send, prompt, kinds, snapshot, leafOf, lastOf };
};
