import { diskFs } from "../storage/fs.ts";
import { JsonlSession } from "../storage/jsonl-session.ts";
import { placeOfFile } from "../storage/session-paths.ts";
import { type InspectReport, inspectSession } from "./inspect-report.ts";
import type { Verb } from "./verb.ts";
import { orFail, readArguments, wrongUsage } from "./verb-arguments.ts";

const usage = "inspect FILE [--json]";

const pairs = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ") || "none";

/** The report for a person: figures first, then each leaf in a line. */
const inWords = (report: InspectReport): string => {
  const { tree, toolCalls } = report;
  return [
    `${report.file}: version ${report.version}, ${report.bytes} bytes, ${report.entries} entries`,
    ...(report.name === null ? [] : [`name      ${report.name}`]),
    `entries   ${pairs(report.entriesByType)}`,
    `messages  ${pairs(report.messagesByRole)}`,
    `tree      roots ${tree.roots}, branch points ${tree.branchPoints}, leaves ${tree.leaves}, depth ${tree.depth}`,
    `calls     ${toolCalls.calls}, with result ${toolCalls.withResult}, without ${toolCalls.withoutResult}, results without call ${toolCalls.orphanedResults}`,
    ...report.compactions.map(
      ({ id, firstKeptEntryId, tokensBefore }) =>
        `compaction ${id}: keeps from ${firstKeptEntryId}, ${tokensBefore} tokens before`,
    ),
    ...Object.entries(report.labels).map(([target, label]) => `label     ${target}: ${label ?? "(cleared)"}`),
    ...report.leaves.map(
      (leaf) =>
        `leaf ${leaf.leafId}: ${leaf.contextEntryIds.length} entries in context, about ${leaf.contextTokens} tokens, ${
          leaf.model === null ? "no model" : `${leaf.model.provider}/${leaf.model.modelId}`
        }, thinking ${leaf.thinkingLevel}; groups ${pairs({ ...leaf.groups })}`,
    ),
    ...report.damage.map(({ line, kind, detail }) => `damage, line ${line}: ${kind}, ${detail}`),
  ].join("\n");
};

/** Says what is in a session file. The file is only read. */
export const inspectVerb: Verb = {
  usage: `${usage}     what is in a session file`,
  run: async (argv, io) => {
    const args = readArguments(argv, usage, {}, io);
    if (args === null) return 2;
    const [file, ...more] = args.positionals;
    if (file === undefined || more.length > 0) return wrongUsage(usage, io) ?? 2;
    return orFail(async () => {
      const session = await JsonlSession.open(placeOfFile(file), diskFs);
      try {
        const report = await inspectSession(session, file, session.size);
        io.out(`${args.values.json === true ? JSON.stringify(report, null, 1) : inWords(report)}\n`);
        return 0;
      } finally {
        await session.close();
      }
    }, io);
  },
};
