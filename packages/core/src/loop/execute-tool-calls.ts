import type { EntryDraft, RunId, ToolCallContent, ToolCallId, ToolResultMessage } from "@espalier/protocol";
import type { PendingCall, StepPlan, ToolOutput } from "./ports.ts";
import type { MessageLine, TurnPorts } from "./turn-ports.ts";

/** How long a stopped tool may take to end before its call is answered without it, ms. */
const STOP_GRACE_MS = 1500;

export interface DeclaredCall {
  readonly index: number;
  readonly call: ToolCallContent;
}

/** The calls an assistant message declares, in source order. */
export const declaredCalls = ({ message }: MessageLine): DeclaredCall[] =>
  message.role !== "assistant"
    ? []
    : message.content.flatMap((block, index) => (block.type === "toolCall" ? [{ index, call: block }] : []));

const said = (text: string): ToolOutput => ({ content: [{ type: "text", text }], isError: true });

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A result as an entry. Calls that never ran have no duration. */
const resultDraft = (
  call: ToolCallContent,
  output: ToolOutput,
  now: number,
  startedAt?: number,
): EntryDraft => {
  const message: ToolResultMessage = {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: output.content.length > 0 ? [...output.content] : [{ type: "text", text: "(no output)" }],
    ...(output.details === undefined ? {} : { details: output.details }),
    isError: output.isError,
    ...(startedAt === undefined ? {} : { durationMs: Math.max(0, now - startedAt) }),
    timestamp: now,
  };
  return { type: "message", message };
};

/** Answers calls that will not run, so that none is left open. */
export const answerUnrun = (calls: readonly DeclaredCall[], reason: string, now: number): EntryDraft[] =>
  calls.map(({ call }) => resultDraft(call, said(reason), now));

const check = (
  plan: StepPlan,
  entry: MessageLine,
  { index, call }: DeclaredCall,
  ports: TurnPorts,
): PendingCall | string => {
  if (call.argumentsError !== undefined) {
    return `The arguments of this call were cut or are no JSON object (${call.argumentsError}). It was not run. Send the call again, in smaller parts if it was long.`;
  }
  const tool = plan.tools.get(call.name);
  if (!tool) return `Tool ${call.name} not found. Available: ${[...plan.tools.keys()].join(", ") || "none"}.`;
  const checked = ports.validate(tool.spec.parameters, tool.prepare?.(call.arguments) ?? call.arguments);
  if (!checked.ok) return `Invalid arguments for ${call.name}: ${checked.error}`;
  return { entryId: entry.id, index, call, tool, args: checked.value };
};

/** Settles with the tool, or with a note when it was stopped and does not end: a dead tool must not hold the run. */
const runTool = async (
  pending: PendingCall,
  plan: StepPlan,
  run: RunId,
  ports: TurnPorts,
  signal: AbortSignal,
): Promise<ToolOutput> => {
  let total = 0;
  let settled = false;
  const onOutput = (text: string): void => {
    if (settled || text === "") return;
    total += text.length;
    ports.sink.emit({
      type: "tool_output",
      run,
      entryId: pending.entryId,
      index: pending.index,
      text,
      total,
    });
  };
  const { cwd, env } = plan;
  const context = { toolCallId: pending.call.id, cwd, signal, onOutput, env };
  // In an async function: a tool may also throw before it returns a promise.
  const work = async (): Promise<ToolOutput> => pending.tool.execute(pending.args, context);
  const finished = work().catch((error: unknown) => said(messageOf(error)));
  const over = new AbortController();
  let unwatch = (): void => undefined;
  const stopped = new Promise<ToolOutput>((resolve) => {
    const late = async (): Promise<void> => {
      await ports.clock.sleep(STOP_GRACE_MS, over.signal);
      resolve(
        said(
          "Stopped by the user. The tool did not end in time; what it did until then may have had effects.",
        ),
      );
    };
    const onAbort = (): void => void late();
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    // A run has one signal for all its calls: what listens must not outlive its call.
    unwatch = () => signal.removeEventListener("abort", onAbort);
  });
  const output = await Promise.race([finished, stopped]);
  unwatch();
  over.abort();
  settled = true;
  return output;
};

const afterCall = async (pending: PendingCall, output: ToolOutput, plan: StepPlan): Promise<ToolOutput> => {
  try {
    return await plan.hooks.afterToolCall(pending, output);
  } catch (error) {
    return said(`A hook failed after this call: ${messageOf(error)}`);
  }
};

const mayRun = async (pending: PendingCall, plan: StepPlan, signal: AbortSignal): Promise<string | null> => {
  try {
    const verdict = await plan.hooks.beforeToolCall(pending, signal);
    return verdict.block ? verdict.reason : null;
  } catch (error) {
    return `A hook failed before this call, so it was not run: ${messageOf(error)}`;
  }
};

/**
 * Runs the calls of one assistant entry and writes each result the moment it arrives. Calls are checked and allowed in
 * source order; each starts as soon as it is allowed and they run side by side. Results of calls that share an id are
 * written in source order, since they are joined by occurrence. When this returns, every call is answered.
 *
 * Throws what `commit` throws: without a disk there is nothing to go on with. Running tools are then awaited first.
 */
export const executeToolCalls = async (
  entry: MessageLine,
  plan: StepPlan,
  run: RunId,
  ports: TurnPorts,
  signal: AbortSignal,
): Promise<void> => {
  const lastOfId = new Map<ToolCallId, Promise<void>>();
  const { clock, sink } = ports;

  const answer = (call: ToolCallContent, output: Promise<ToolOutput>, startedAt?: number): Promise<void> => {
    const earlier = lastOfId.get(call.id) ?? Promise.resolve();
    const written = output.then(async (result) => {
      await earlier;
      await sink.commit([resultDraft(call, result, clock.now(), startedAt)]);
    });
    // Also keeps a failed write from counting as unhandled before it is looked at below.
    const quiet = written.catch(() => undefined);
    lastOfId.set(call.id, quiet);
    return written;
  };

  const start = async (pending: PendingCall): Promise<ToolOutput> => {
    const output = await runTool(pending, plan, run, ports, signal);
    return afterCall(pending, output, plan);
  };

  const answers: Promise<void>[] = [];
  for (const declared of declaredCalls(entry)) {
    const place = {
      type: "tool",
      run,
      entryId: entry.id,
      index: declared.index,
      toolCallId: declared.call.id,
    } as const;
    const pending = check(plan, entry, declared, ports);
    if (typeof pending === "string") {
      answers.push(answer(declared.call, Promise.resolve(said(pending))));
      continue;
    }
    sink.emit({ ...place, status: "waiting", at: clock.now() });
    const refused = signal.aborted ? "Not run: stopped by the user." : await mayRun(pending, plan, signal);
    if (refused !== null || signal.aborted) {
      sink.emit({ ...place, status: "done", at: clock.now() });
      answers.push(answer(declared.call, Promise.resolve(said(refused ?? "Not run: stopped by the user."))));
      continue;
    }
    const startedAt = clock.now();
    sink.emit({ ...place, status: "running", at: startedAt });
    const written = answer(declared.call, start(pending), startedAt);
    const done = () => sink.emit({ ...place, status: "done", at: clock.now() });
    void written.then(done, done);
    answers.push(written);
  }
  const settled = await Promise.allSettled(answers);
  for (const result of settled) if (result.status === "rejected") throw result.reason;
};
