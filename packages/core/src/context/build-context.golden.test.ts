import { readdirSync } from "node:fs";
import { join } from "node:path";
import { entryId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { dataFolder, readData } from "../../../../testing/data-folder.ts";
import { parseJsonl } from "../session/parse-jsonl.ts";
import { pathToLeaf } from "../session/path-to-leaf.ts";
import { SessionTree } from "../session/session-tree.ts";
import { buildContext } from "./build-context.ts";
import type { ContextMessage } from "./context-message.ts";
import { countGroups } from "./count-groups.ts";
import { guardRequest } from "./request-guard.ts";
import { nodeOfRow, selectContext } from "./select-context.ts";
import { toModelMessages } from "./to-model-messages.ts";

interface Golden {
  leaves: {
    leafId: string;
    toolGroups: {
      assistantMessagesWithCalls: number;
      complete: number;
      missingResults: number;
      orphanedResults: number;
      calls: number;
    };
    contextEntryIds: string[];
    roleSequence: string;
    model: { provider: string; modelId: string } | null;
    thinkingLevel: string;
  }[];
}

const LETTERS: Readonly<Record<ContextMessage["role"], string>> = {
  system: "S",
  user: "U",
  assistant: "A",
  toolResult: "T",
  bashExecution: "X",
  custom: "M",
  branchSummary: "B",
  compactionSummary: "C",
};

const folder = dataFolder();
const files =
  folder === null
    ? []
    : readdirSync(join(folder, "sessions/pi")).filter((name) => name.endsWith(".context.json"));

describe.skipIf(folder === null)("buildContext against pi 1.6.0", () => {
  it.each(files)("%s", (name) => {
    const golden = JSON.parse(new TextDecoder().decode(readData(`sessions/pi/${name}`))) as Golden;
    const session = parseJsonl(readData(`sessions/pi/${name.replace(".context.json", ".jsonl")}`));
    if (session === null) throw new Error("not a session");
    const tree = new SessionTree(session.rows);
    for (const leaf of golden.leaves) {
      const path = pathToLeaf(tree, entryId(leaf.leafId));
      const context = buildContext(path.map((id) => session.read(id) ?? expect.fail(`no entry ${id}`)));
      const fromRows = selectContext(path.map((id) => nodeOfRow(tree.get(id) ?? expect.fail(id))));
      expect(context.entryIds).toEqual(leaf.contextEntryIds);
      expect(fromRows.indices.map((at) => path[at])).toEqual(leaf.contextEntryIds);
      expect(context.messages.map(({ message }) => LETTERS[message.role]).join("")).toBe(leaf.roleSequence);
      expect(context.model).toEqual(leaf.model);
      expect(context.thinkingLevel).toBe(leaf.thinkingLevel);
      const { groups, batches } = countGroups(context.messages);
      const { toolGroups } = leaf;
      expect(batches).toEqual({
        total: toolGroups.assistantMessagesWithCalls,
        complete: toolGroups.complete,
        missing: toolGroups.missingResults,
      });
      expect(groups.orphaned_result).toBe(toolGroups.orphanedResults);
      expect(groups.complete + groups.missing_results + groups.unknown).toBe(toolGroups.calls);
      const target = { provider: "p", api: "anthropic-messages", model: "m", input: ["text" as const] };
      const guarded = guardRequest(toModelMessages(context.messages), target);
      expect(guardRequest(guarded.messages, target)).toEqual({ messages: guarded.messages, changes: [] });
    }
  });
});
