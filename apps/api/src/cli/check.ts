import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  asKnown,
  ProblemError,
  parseJsonl,
  type RepairCounts,
  type RepairStep,
  repairJsonl,
} from "@espalier/core";
import type { Damage, EntryType } from "@espalier/protocol";
import { diskProblem, systemCode } from "../storage/disk-problem.ts";
import { diskFs } from "../storage/fs.ts";
import { publishFile } from "../storage/publish-file.ts";
import type { Verb } from "./verb.ts";
import { orFail, readArguments, wrongUsage } from "./verb-arguments.ts";

const usage = "check FILE [--repair OUT] [--json]";

interface CheckReport {
  readonly ok: boolean;
  readonly damage: readonly Damage[];
  /** Lines that are kept and shown as they are, but whose fields are not of the kinds that their type asks for. */
  readonly odd?: readonly { readonly line: number; readonly id: string; readonly detail: string }[];
  /** Where a repaired copy was written, and what was done in it. */
  readonly repaired?: { readonly path: string; readonly steps: readonly RepairStep[] } & RepairCounts;
}

const read = async (file: string): Promise<Uint8Array> => {
  try {
    return await readFile(file);
  } catch (error) {
    throw diskProblem(error, `Reading ${file}`);
  }
};

/** Writes a whole copy to a name that is free; never over a file, so never over the damaged one. */
const repair = async (
  file: string,
  bytes: Uint8Array,
  out: string,
): Promise<NonNullable<CheckReport["repaired"]>> => {
  const repaired = repairJsonl(bytes);
  if (repaired === null) throw notASession(file);
  try {
    const written = await publishFile(diskFs, resolve(out), Buffer.from(repaired.text));
    await written.close();
  } catch (error) {
    if (systemCode(error) === "EEXIST")
      throw new ProblemError("conflict", `${out} is there already; name another file.`);
    throw diskProblem(error, `Writing ${out}`);
  }
  return { path: out, ...repaired.counts, steps: repaired.steps };
};

/** Entries of a known type that no reader can work with. */
const oddLines = (session: NonNullable<ReturnType<typeof parseJsonl>>): NonNullable<CheckReport["odd"]> =>
  session.rows.flatMap(({ id, type }) => {
    const entry = session.read(id);
    if (entry === null || !KNOWN_TYPES.has(type) || asKnown(entry) !== null) return [];
    const detail = `${type}: fields are missing or of the wrong kind; kept as it is and not read`;
    return [{ line: session.spans.get(id)?.line ?? 0, id, detail }];
  });

const KNOWN_TYPES: ReadonlySet<string> = new Set<EntryType>([
  "message",
  "model_change",
  "thinking_level_change",
  "compaction",
  "branch_summary",
  "custom",
  "custom_message",
  "label",
  "session_info",
  "usage",
  "context_edit",
]);

const notASession = (file: string): ProblemError =>
  new ProblemError("not_a_session", `${file} is no session file: it has neither a header nor entries.`);

const inWords = ({ ok, damage, odd = [], repaired }: CheckReport): string => {
  const lines = damage.map(({ line, kind, detail }) => `line ${line}: ${kind}: ${detail}`);
  const oddities = odd.map(({ line, detail }) => `line ${line}: odd: ${detail}`);
  const done = (repaired?.steps ?? []).map(({ line, what, detail }) => `  line ${line}: ${what}: ${detail}`);
  const copy =
    repaired === undefined
      ? []
      : [
          `A repaired copy is in ${repaired.path}: ${repaired.joined} records joined, ${repaired.dropped} lines left out, ${repaired.renamed} ids redrawn, ${repaired.reattached} entries re-attached.`,
        ];
  return [...(ok ? ["No damage."] : lines), ...oddities, ...copy, ...done].join("\n");
};

/** Reports damage in a session file. FILE is only read; a repair goes to another file. */
export const checkVerb: Verb = {
  usage: `${usage}     damage report, and a repaired copy`,
  run: async (argv, io) => {
    const args = readArguments(argv, usage, { repair: { type: "string" } }, io);
    if (args === null) return 2;
    const [file, ...more] = args.positionals;
    if (file === undefined || more.length > 0) return wrongUsage(usage, io) ?? 2;
    return orFail(async () => {
      const bytes = await read(file);
      const session = parseJsonl(bytes);
      if (session === null) throw notASession(file);
      const out = args.values.repair;
      const { damage } = session;
      const odd = oddLines(session);
      const found = { ok: damage.length === 0, damage, ...(odd.length > 0 ? { odd } : {}) };
      const repaired = out === undefined ? undefined : await repair(file, bytes, out);
      const report: CheckReport = repaired === undefined ? found : { ...found, repaired };
      io.out(`${args.values.json === true ? JSON.stringify(report, null, 1) : inWords(report)}\n`);
      return 0;
    }, io);
  },
};
