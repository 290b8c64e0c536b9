import { setTimeout as after } from "node:timers/promises";
import type { Model } from "@espalier/core";
import type { ModelInfo } from "@espalier/protocol";
import { nextReply } from "./script.ts";
import { type StreamPace, scriptedModel } from "./stream.ts";

/** The built-in model that needs no key. Labelled as what it is wherever it is shown. */
export const gardenerInfo: ModelInfo = {
  provider: "demo",
  id: "gardener",
  name: "Gardener",
  api: "demo",
  contextWindow: 128_000,
  maxTokens: 8192,
  reasoning: true,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  ready: true,
  note: "a script, not a language model",
};

const sleep: StreamPace["sleep"] = async (ms, signal) => {
  // An abort ends the wait, which is all that is asked of it.
  await after(ms, undefined, { signal }).catch(() => undefined);
};

/** Fast enough to read along with, slow enough to see it stream; ms between deltas. */
const USUAL_DELAY_MS = 18;

/** Deterministic: the same conversation gets the same answer. `delayMs` 0 for tests and headless runs. */
export const gardenerModel = (delayMs: number = USUAL_DELAY_MS): Model =>
  scriptedModel(nextReply, { delayMs, sleep });
