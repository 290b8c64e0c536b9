import { readFile, writeFile } from "node:fs/promises";
import { ProblemError, parseJsonl, type RepairCounts, repairJsonl } from "@espalier/core";
import type { Damage } from "@espalier/protocol";
import { diskProblem, systemCode } from "../storage/disk-problem.ts";
import type { Verb } from "./verb.ts";
import { orFail, readArguments, wrongUsage } from "./verb-arguments.ts";

const usage = "check FILE [--repair OUT] [--json]";

interface CheckReport {
  readonly ok: boolean;
  readonly damage: readonly Damage[];
  /** Where a repaired copy was written, and what was done in it. */
  readonly repaired?: { readonly path: string } & RepairCounts;
}

const read = async (file: string): Promise<Uint8Array> => {
  try {
    return await readFile(file);
  } catch (error) {
    throw diskProblem(error, `Reading ${file}`);
  }
};

/** Writes a whole copy to a name that is free; never over a file, so never over the damaged one. */
const repair = async (file: string, bytes: Uint8Array, out: string): Promise<CheckReport["repaired"]> => {
  const repaired = repairJsonl(bytes);
  if (repaired === null) throw notASession(file);
  try {
    await writeFile(out, repaired.text, { flag: "wx", mode: 0o600, flush: true });
  } catch (error) {
    if (systemCode(error) === "EEXIST")
      throw new ProblemError("conflict", `${out} is there already; name another file.`);
    throw diskProblem(error, `Writing ${out}`);
  }
  return { path: out, ...repaired.counts };
};

const notASession = (file: string): ProblemError =>
  new ProblemError("not_a_session", `${file} is no session file: it has neither a header nor entries.`);

const inWords = ({ ok, damage, repaired }: CheckReport): string => {
  const lines = damage.map(({ line, kind, detail }) => `line ${line}: ${kind}: ${detail}`);
  const copy =
    repaired === undefined
      ? []
      : [
          `A repaired copy is in ${repaired.path}: ${repaired.joined} records joined, ${repaired.dropped} lines left out, ${repaired.renamed} ids redrawn, ${repaired.reattached} entries re-attached.`,
        ];
  return [...(ok ? ["No damage."] : lines), ...copy].join("\n");
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
      const found = { ok: damage.length === 0, damage };
      const repaired = out === undefined ? undefined : await repair(file, bytes, out);
      const report: CheckReport = repaired === undefined ? found : { ...found, repaired };
      io.out(`${args.values.json === true ? JSON.stringify(report, null, 1) : inWords(report)}\n`);
      return 0;
    }, io);
  },
};
