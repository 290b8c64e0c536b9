import { join } from "node:path";
import {
  buildContext,
  contextPath,
  type GuardTarget,
  guardRequest,
  leafAtOpen,
  toModelMessages,
} from "@espalier/core";
import { JsonlStore } from "../apps/api/src/storage/jsonl-store.ts";
import { inFolder } from "./support/folder.ts";
import { type Bench, line } from "./support/line.ts";
import { writeSession } from "./support/make-session.ts";
import { fastestOf } from "./support/measure.ts";

const target: GuardTarget = { provider: "p", api: "openai-completions", model: "m", input: ["text"] };

/** The request guard over 1,000 messages; the floor is writing them as JSON, which every request does. */
export const bench: Bench = () =>
  inFolder(async (folder) => {
    const path = join(folder, "context.jsonl");
    writeSession(path, "context", folder, { entries: 1_000, textBytes: 1_000, branchEvery: 0 });
    const session = await new JsonlStore({ sessions: folder, piSessions: folder }).openFile(path);
    const entries = await session.read(contextPath(session.tree, leafAtOpen(session.tree)));
    await session.close();
    const messages = toModelMessages(buildContext(entries).messages);
    const best = await fastestOf(
      10,
      () => guardRequest(messages, target),
      () => JSON.stringify(messages),
    );
    return [line("guard", best.ours, "ms", 10, best.floor)];
  });
