import type { EntryDraft, RunId } from "@espalier/protocol";
import { askModel, assistantMessage } from "./ask-model.ts";
import { answerUnrun, declaredCalls, executeToolCalls } from "./execute-tool-calls.ts";
import { isOverflow } from "./is-overflow.ts";
import type { ModelOutcome, StepPlan } from "./ports.ts";
import { type MessageLine, messageLine, type TurnEnd, type TurnPorts } from "./turn-ports.ts";

/** "batch": calls were answered and the model must be asked again. "answer": the model is done. */
export type StepEnd = { readonly status: "batch" | "answer" } | Exclude<TurnEnd, { status: "done" }>;

const unrunReason = (outcome: ModelOutcome): string | null => {
  switch (outcome.stopReason) {
    case "length":
      return "Not run: the answer reached its output limit, so this call may be cut. Send it again, in smaller parts.";
    case "aborted":
      return "Not run: stopped by the user.";
    case "error":
      return "Not run: the answer ended in an error.";
    case "stop":
    case "toolUse":
      return null;
  }
};

/** Writes the answer; calls that must not run are answered in the same write, so no crash leaves them open. */
const commitAnswer = async (
  plan: StepPlan,
  outcome: ModelOutcome,
  startedAt: number,
  ports: TurnPorts,
): Promise<MessageLine> => {
  const now = ports.clock.now();
  const message = assistantMessage(plan, outcome, startedAt, now);
  const drafts: EntryDraft[] = [{ type: "message", message }];
  const reason = unrunReason(outcome);
  if (reason !== null) {
    const calls = message.content.flatMap((block, index) =>
      block.type === "toolCall" ? [{ index, call: block }] : [],
    );
    drafts.push(...answerUnrun(calls, reason, now));
  }
  const [entry] = await ports.sink.commit(drafts);
  return messageLine(entry);
};

const noteIf = (outcome: ModelOutcome, ports: TurnPorts): void => {
  if (outcome.note !== undefined) ports.sink.emit({ type: "notice", level: "info", text: outcome.note });
};

type Answer = { readonly entry: MessageLine; readonly outcome: ModelOutcome };

/** Asks until there is an answer, an abort, or a failure that waiting does not mend. */
const ask = async (plan: StepPlan, run: RunId, ports: TurnPorts, signal: AbortSignal): Promise<Answer> => {
  for (let attempt = 1; ; attempt++) {
    const startedAt = ports.clock.now();
    const outcome = await askModel(plan, run, ports.sink, signal);
    const entry = await commitAnswer(plan, outcome, startedAt, ports);
    ports.sink.emit({ type: "partial_end", run });
    noteIf(outcome, ports);
    if (outcome.stopReason !== "error" || !outcome.problem || signal.aborted) return { entry, outcome };
    const wait = ports.retryDelay(outcome.problem, attempt, outcome.retryAfterMs);
    if (wait === null) return { entry, outcome };
    // The failed attempt stays in the file and leaves the context, as pi does it.
    await ports.sink.commit([{ type: "context_edit", targetId: entry.id, replacement: null }]);
    ports.report({ status: "retrying", retryAt: ports.clock.now() + wait, attempt });
    await ports.clock.sleep(wait, signal);
    if (signal.aborted) return { entry, outcome: { ...outcome, stopReason: "aborted" } };
    ports.report({ status: "running", attempt: attempt + 1 });
  }
};

/** Asks; when the request is too long for the provider, makes room and asks once more with what is left of the context. */
const askWithRoom = async (
  plan: StepPlan,
  again: () => Promise<StepPlan>,
  run: RunId,
  ports: TurnPorts,
  signal: AbortSignal,
): Promise<Answer & { readonly plan: StepPlan }> => {
  const first = await ask(plan, run, ports, signal);
  if (!isOverflow(first.outcome, plan.request.model.contextWindow) || signal.aborted)
    return { ...first, plan };
  if (!(await ports.makeRoom(signal, first.entry.id)) || signal.aborted) return { ...first, plan };
  const smaller = await again();
  return { ...(await ask(smaller, run, ports, signal)), plan: smaller };
};

/** One model request and its tool calls. On return every declared call is answered. */
export const runStep = async (
  step: number,
  run: RunId,
  ports: TurnPorts,
  signal: AbortSignal,
): Promise<StepEnd> => {
  await ports.makeRoom(signal);
  if (signal.aborted) return { status: "aborted" };
  const first = await ports.prepare(step);
  if (signal.aborted) return { status: "aborted" };
  await ports.settle();
  ports.report({ status: "running", step });
  const prepare = (): Promise<StepPlan> => ports.prepare(step);
  const { entry, outcome, plan } = await askWithRoom(first, prepare, run, ports, signal);
  switch (outcome.stopReason) {
    case "aborted":
      return { status: "aborted" };
    case "error":
      return {
        status: "failed",
        problem: outcome.problem ?? { code: "provider_stream", message: "The answer ended in an error." },
      };
    case "length":
      return { status: declaredCalls(entry).length > 0 ? "batch" : "answer" };
    case "stop":
    case "toolUse":
      break;
  }
  if (declaredCalls(entry).length === 0) return { status: "answer" };
  await ports.settle();
  await executeToolCalls(entry, plan, run, ports, signal);
  await ports.settle();
  return signal.aborted ? { status: "aborted" } : { status: "batch" };
};
