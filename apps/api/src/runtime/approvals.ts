import { createHash, randomUUID } from "node:crypto";
import type { Hooks, PendingCall } from "@espalier/core";
import { ProblemError } from "@espalier/core";
import type { Approval, CommandOf, RunId, SessionEvent, ToolEffect } from "@espalier/protocol";
import type { LocalState } from "./local-state.ts";

type Verdict = Awaited<ReturnType<Hooks["beforeToolCall"]>>;
type Decision = CommandOf<"answer">["decision"];

interface Waiting {
  readonly approval: Approval;
  readonly settle: (decision: Decision | "stopped") => void;
}

export interface ApprovalParts {
  readonly state: LocalState;
  readonly emit: (event: SessionEvent) => void;
  /** Told when a run begins or ceases to wait for a person. */
  readonly waiting: (run: RunId, waits: boolean) => void;
}

const hashOf = (name: string, args: unknown): string =>
  createHash("sha256")
    .update(JSON.stringify([name, args]))
    .digest("hex");

/**
 * Asks before a tool acts. Reading is always allowed; writing and running ask, until the person allows that tool in this
 * workspace. An answer holds for exactly the arguments that were shown.
 */
export class Approvals {
  readonly #parts: ApprovalParts;
  readonly #waiting = new Map<string, Waiting>();

  constructor(parts: ApprovalParts) {
    this.#parts = parts;
  }

  /** `workspace`: the folder the call works in; what is allowed there is allowed nowhere else. */
  async ask(run: RunId, workspace: string, call: PendingCall, signal: AbortSignal): Promise<Verdict> {
    const { tool, args } = call;
    if (tool.effect === "read" || (await this.#parts.state.allowed(workspace)).has(tool.spec.name)) {
      return { block: false };
    }
    const shown = hashOf(tool.spec.name, args);
    const decision = await this.#answer(run, call, shown, signal);
    if (decision === "workspace") await this.#parts.state.allow(workspace, tool.spec.name);
    if (decision === "once" || decision === "workspace") {
      return shown === hashOf(tool.spec.name, args)
        ? { block: false }
        : { block: true, reason: "Not run: the arguments changed after they were allowed." };
    }
    return {
      block: true,
      reason:
        decision === "deny" ? "Not run: the user did not allow this call." : "Not run: stopped by the user.",
    };
  }

  /** Throws `conflict` when nothing waits under this id (any more). */
  answer(id: string, decision: Decision): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) throw new ProblemError("conflict", "That question is answered already.");
    waiting.settle(decision);
  }

  #answer(run: RunId, call: PendingCall, hash: string, signal: AbortSignal): Promise<Decision | "stopped"> {
    const { tool, args, entryId, index } = call;
    const approval: Approval = {
      id: randomUUID(),
      run,
      entryId,
      index,
      toolName: tool.spec.name,
      effect: tool.effect,
      subject: tool.subject(args),
      arguments: { ...args },
      hash,
    };
    return new Promise((resolve) => {
      const stop = (): void => settle("stopped");
      const settle = (decision: Decision | "stopped"): void => {
        if (!this.#waiting.delete(approval.id)) return;
        signal.removeEventListener("abort", stop);
        this.#parts.emit({ type: "approval_closed", id: approval.id });
        this.#parts.waiting(run, false);
        resolve(decision);
      };
      this.#waiting.set(approval.id, { approval, settle });
      this.#parts.waiting(run, true);
      this.#parts.emit({ type: "approval", approval });
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
    });
  }
}

/** For a run without a person: what was not named beforehand is refused. */
export const allowOnly =
  (effects: ReadonlySet<ToolEffect>): Hooks["beforeToolCall"] =>
  ({ tool }) =>
    Promise.resolve(
      tool.effect === "read" || effects.has(tool.effect)
        ? { block: false }
        : {
            block: true,
            reason: `Not run: this run may not ${tool.effect} (start it with --allow ${tool.effect}).`,
          },
    );
