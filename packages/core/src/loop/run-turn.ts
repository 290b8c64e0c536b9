import type { EntryDraft, RunId, UserMessage } from "@espalier/protocol";
import { problemOf } from "../problem/problem-error.ts";
import type { QueuedMessage } from "./message-queue.ts";
import { runStep } from "./run-step.ts";
import type { TurnEnd, TurnPorts } from "./turn-ports.ts";

/** A user's words as an entry. */
export const userDraft = (text: string, images: QueuedMessage["images"], now: number): EntryDraft => {
  const message: UserMessage = {
    role: "user",
    content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...images],
    timestamp: now,
  };
  return { type: "message", message };
};

const deliver = async (kind: QueuedMessage["kind"], ports: TurnPorts): Promise<boolean> => {
  const due = ports.take(kind);
  if (due.length === 0) return false;
  const now = ports.clock.now();
  await ports.sink.commit(due.map(({ text, images }) => userDraft(text, images, now)));
  return true;
};

/**
 * Works on one prompt, whose entry is on disk already, until the model is done, the user stops it, or it fails:
 *
 *   repeat: make room where it is due -> ask the model -> run its calls, all of them -> take steering messages
 *   until it calls nothing more; then take follow-ups and go on, or end.
 *
 * Never throws. Steering never splits a batch. Nothing is asked of a model that is not in the file.
 */
export const runTurn = async (run: RunId, ports: TurnPorts, signal: AbortSignal): Promise<TurnEnd> => {
  try {
    for (let step = 1; ; step++) {
      const end = await runStep(step, run, ports, signal);
      if (end.status === "aborted" || end.status === "failed") return end;
      const steered = await deliver("steer", ports);
      if (end.status === "batch" || steered) continue;
      if (await deliver("follow_up", ports)) continue;
      // For the next prompt: the model is not asked to go on by it.
      await ports.makeRoom(signal);
      return { status: "done" };
    }
  } catch (error) {
    return { status: "failed", problem: problemOf(error) };
  }
};
