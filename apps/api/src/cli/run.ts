import { homedir } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { isOpen, problemOf } from "@espalier/core";
import type { SessionId, ToolEffect } from "@espalier/protocol";
import { type Config, dataDirOf, piDirOf } from "../config.ts";
import { allowOnly } from "../runtime/approvals.ts";
import type { EventLog } from "../runtime/event-log.ts";
import type { WorkspaceParts } from "../runtime/runtime-parts.ts";
import type { RuntimeService } from "../runtime/runtime-service.ts";
import type { Verb, VerbIo } from "./verb.ts";

/** What a headless run works with, made by the composition root. */
export interface HeadlessParts {
  readonly sessions: RuntimeService;
  readonly log: EventLog;
  /** The id of a session by its file's path, wherever the file lies. Throws ProblemError `not_a_session`. */
  readonly idOfFile: (path: string) => Promise<SessionId>;
  readonly close: () => Promise<void>;
}
export type ComposeHeadless = (config: Config, workspace: Partial<WorkspaceParts>) => Promise<HeadlessParts>;

const EFFECTS: readonly ToolEffect[] = ["read", "write", "exec"];
const list = (text: string | undefined): string[] =>
  (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

const parse = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      model: { type: "string" },
      session: { type: "string" },
      cwd: { type: "string" },
      tools: { type: "string" },
      allow: { type: "string" },
      json: { type: "boolean" },
      "data-dir": { type: "string" },
      "pi-dir": { type: "string" },
    },
  });

/** One event, and its line as the stream has it. */
interface Told {
  readonly frame: { readonly event: { readonly type: string } };
  readonly json: string;
}

/** Says on stderr what keeps a run from going on, e.g. a full disk: without a page nobody else would. */
const tellTrouble = ({ frame }: Told, io: VerbIo): void => {
  const event = frame.event as { type: string; level?: string; text?: string };
  if (event.type === "notice" && event.level === "error") io.err(`${event.text ?? ""}\n`);
};

/** Gives every event of the session from `seq` on to `tell`, until `until` resolves. */
const followEvents = async (
  log: EventLog,
  session: SessionId,
  from: number,
  until: Promise<void>,
  tell: (told: Told) => void,
): Promise<void> => {
  const over = new AbortController();
  void until.then(() => over.abort());
  let place = from;
  for (let last = false; ; ) {
    const batch = log.after(place, 256) ?? [];
    for (const { frame, json } of batch) {
      place = frame.seq;
      if (frame.session === session) tell({ frame, json });
    }
    if (batch.length > 0) continue;
    if (last) return;
    await log.next(over.signal, 1000);
    last = over.signal.aborted;
  }
};

const answerOf = async (sessions: RuntimeService, id: SessionId): Promise<string> => {
  const { items } = await sessions.snapshot(id, { limit: 1 });
  const last = items.at(-1);
  if (last?.kind !== "step" || last.entry.message.role !== "assistant") return "";
  return last.entry.message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
};

const work = async (
  parts: HeadlessParts,
  prompt: string,
  options: ReturnType<typeof parse>["values"],
  cwd: string,
  io: VerbIo,
) => {
  const { sessions, log } = parts;
  const id = options.session
    ? await parts.idOfFile(resolve(options.session))
    : (await sessions.create({ cwd })).id;
  if (options.session) {
    // Who names a folder wants to work there; a session whose own is gone works in the current one without asking.
    const { folder } = await sessions.snapshot(id, { limit: 1 });
    if (folder.missing || options.cwd !== undefined)
      await sessions.command(id, { type: "folder", choice: "here" });
  }
  const from = log.seq;
  const model = options.model === undefined ? {} : { model: options.model };
  const answer = await sessions.command(id, { type: "prompt", text: prompt, ...model });
  const session = (answer.session ?? id) as SessionId;
  const runtime = await sessions.runtime(session);
  const finished = Promise.all(runtime.openRuns.map((run) => run.finished)).then(() => undefined);
  await followEvents(log, session, from, finished, (told) =>
    options.json ? io.out(`${told.json}\n`) : tellTrouble(told, io),
  );
  await finished;
  runtime.journal.seq();
  const run = [...runtime.journal.state.runs.values()].at(-1);
  const failed = run && !isOpen(run) && run.status !== "done";
  const path = runtime.journal.stored?.path ?? "";
  if (options.json) io.out(`${JSON.stringify({ type: "done", session: path, id: session })}\n`);
  else io.out(`${await answerOf(sessions, session)}\n`);
  if (failed) io.err(`${run.problem?.message ?? `The run was ${run.status}.`}\n`);
  return failed ? 1 : 0;
};

/** One headless turn. Reading is always allowed; what else `--allow` does not name is refused. */
export const runVerb = (compose: ComposeHeadless): Verb => ({
  usage:
    'run "PROMPT" [--model P/ID] [--session FILE] [--cwd D] [--tools a,b] [--allow read,write,exec] [--json] [--data-dir D]',
  run: async (argv, io) => {
    const { values, positionals } = parse(argv);
    const [prompt] = positionals;
    if (prompt === undefined || positionals.length > 1) {
      io.err('One prompt in quotes is needed: espalier run "PROMPT"\n');
      return 2;
    }
    const allowed = list(values.allow);
    const unknown = allowed.find((name) => !EFFECTS.includes(name as ToolEffect));
    if (unknown !== undefined) {
      io.err(`--allow takes ${EFFECTS.join(", ")}, not "${unknown}".\n`);
      return 2;
    }
    const cwd = resolve(values.cwd ?? io.env.INIT_CWD ?? process.cwd());
    const config: Config = {
      workspace: cwd,
      dataDir: dataDirOf(values["data-dir"], io.env),
      piDir: piDirOf(values["pi-dir"], io.env),
      home: io.env.HOME ?? homedir(),
    };
    const tools = values.tools === undefined ? {} : { tools: list(values.tools) };
    let parts: HeadlessParts;
    try {
      parts = await compose(config, { ...tools, permit: allowOnly(new Set(allowed as ToolEffect[])) });
    } catch (error) {
      const { code, message } = problemOf(error);
      io.err(`${message}\n`);
      return code === "bad_request" ? 2 : 1;
    }
    const stop = (): void => void parts.sessions.close(2000);
    process.once("SIGINT", stop);
    process.once("SIGTERM", stop);
    try {
      return await work(parts, prompt, values, cwd, io);
    } catch (error) {
      io.err(`${problemOf(error).message}\n`);
      return 1;
    } finally {
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
      await parts.close();
    }
  },
});
