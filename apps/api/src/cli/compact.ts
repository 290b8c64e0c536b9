import {
  contextPath,
  leafAtOpen,
  type PreparedCompaction,
  ProblemError,
  prepareCompaction,
} from "@espalier/core";
import { entryId } from "@espalier/protocol";
import { diskFs } from "../storage/fs.ts";
import { JsonlSession } from "../storage/jsonl-session.ts";
import { placeOfFile } from "../storage/session-paths.ts";
import type { Verb } from "./verb.ts";
import { orFail, readArguments, wrongUsage } from "./verb-arguments.ts";

const usage = "compact FILE --dry-run [--leaf ID] [--keep-recent N] [--json]";
/** Tokens that are kept when nobody says otherwise, as in pi. */
const KEEP_RECENT = 20_000;

/** The plan with ids in place of messages. `tokensAfter` does not know how long the summary will be. */
const report = (plan: PreparedCompaction) => {
  if ("nothing" in plan) return plan;
  const ids = (messages: typeof plan.kept): string[] => messages.map(({ entryId: id }) => id);
  return {
    firstKeptEntryId: plan.firstKeptEntryId,
    isSplitTurn: plan.isSplitTurn,
    turnStartEntryId: plan.turnStartEntryId,
    messagesToSummarize: ids(plan.messagesToSummarize),
    turnPrefix: ids(plan.turnPrefix),
    tokensBefore: plan.tokensBefore,
    tokensAfter: plan.tokensAfter,
  };
};

const inWords = (plan: ReturnType<typeof report>): string =>
  "nothing" in plan
    ? plan.nothing
    : [
        `keeps from ${plan.firstKeptEntryId}${plan.isSplitTurn ? `, inside the turn of ${plan.turnStartEntryId}` : ""}`,
        `summarises ${plan.messagesToSummarize.length} messages${plan.turnPrefix.length > 0 ? ` and ${plan.turnPrefix.length} of the turn` : ""}`,
        `about ${plan.tokensBefore} tokens before, ${plan.tokensAfter} and the summary after`,
      ].join("\n");

const planOf = async (
  file: string,
  leaf: string | undefined,
  keepRecentTokens: number,
): Promise<PreparedCompaction> => {
  const session = await JsonlSession.open(placeOfFile(file), diskFs);
  try {
    const at = leaf === undefined ? leafAtOpen(session.tree) : entryId(leaf);
    if (at !== null && !session.tree.has(at))
      throw new ProblemError("not_found", `Entry ${at} is not in ${file}.`);
    const path = await session.read(contextPath(session.tree, at));
    return prepareCompaction(path, { keepRecentTokens, time: Date.now() });
  } finally {
    await session.close();
  }
};

/** Says where a compaction of a session file would cut. The file is only read, and no model is asked. */
export const compactVerb: Verb = {
  usage: `${usage}     where the cut would fall`,
  run: async (argv, io) => {
    const own = {
      "dry-run": { type: "boolean" },
      leaf: { type: "string" },
      "keep-recent": { type: "string" },
    } as const;
    const args = readArguments(argv, usage, own, io);
    if (args === null) return 2;
    const [file, ...more] = args.positionals;
    const keep = Number(args.values["keep-recent"] ?? KEEP_RECENT);
    const understood = file !== undefined && more.length === 0 && args.values["dry-run"] === true;
    if (!understood || !Number.isSafeInteger(keep) || keep < 0) return wrongUsage(usage, io) ?? 2;
    return orFail(async () => {
      const plan = report(await planOf(file, args.values.leaf, keep));
      io.out(`${args.values.json === true ? JSON.stringify(plan, null, 1) : inWords(plan)}\n`);
      return 0;
    }, io);
  },
};
