import { asKnown } from "@espalier/core";
import type { FakeStep } from "@espalier/core/testing";
import type { SessionId } from "@espalier/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, probe } from "./service-probe.case.ts";
import { checkAll, makeRig, type Rig, until } from "./service-rig.case.ts";

let rig: Rig;
const { make, send, prompt, kinds } = probe(() => rig);
beforeEach(async () => {
  rig = makeRig("jsonl");
  await rig.process.settings.write({ compaction: { keepRecentTokens: 100 } });
});
afterEach(() => rig.dispose());

/** About so many tokens of words. */
const words = (tokens: number): string => "word ".repeat(Math.ceil((tokens * 4) / 5));
const SUMMARY: FakeStep = {
  text: "## Goal\nG\n## Progress\nP\n## Next Steps\nN\n## Original Request\nR\n## Progress So Far\nP\n## Context Needed to Continue\nC",
};
const OVERFLOW: FakeStep = {
  stopReason: "error",
  problem: { code: "provider_overflow", message: "prompt is too long" },
};
/** Answers that measure nothing, as some servers do. */
const unmeasured = (step: object): FakeStep => ({ ...step, usage: { input: 0, output: 0, totalTokens: 0 } });

const notices = (id: SessionId): string[] =>
  rig
    .events(id)
    .flatMap((event) => (event.type === "notice" && event.code === "compaction" ? [event.text] : []));
const compactions = async (id: SessionId) =>
  (await rig.entries(id)).flatMap((entry) => {
    const known = asKnown(entry);
    return known?.type === "compaction" ? [known] : [];
  });

/** A session with two long turns, which fill the window to about `tokens`. */
const filled = async (tokens: number): Promise<SessionId> => {
  const id = await make();
  rig.script(unmeasured({ text: words(tokens / 4) }), unmeasured({ text: words(tokens / 4) }));
  await prompt(id, words(tokens / 4));
  await prompt(id, words(tokens / 4));
  return id;
};

describe("a window that fills up", () => {
  it("is compacted before the model is asked, also by a server that counts nothing", async () => {
    const id = await filled(1600);
    rig.models.contextWindow = 2400;
    const model = rig.script(SUMMARY, SUMMARY, { text: "an answer" });
    await prompt(id, words(500));
    expect(await compactions(id)).toHaveLength(1);
    const last = model.requests.at(-1);
    expect(JSON.stringify(last?.messages)).toContain("## Goal");
    expect(JSON.stringify(last?.messages).length).toBeLessThan(1600 * 4);
    expect(notices(id).join()).toContain("Compacted:");
    await checkAll(rig);
  });

  it("is compacted between two steps, never between a call and its result", async () => {
    const id = await filled(1200);
    rig.models.contextWindow = 2400;
    rig.script(
      unmeasured({ text: words(700), calls: [call("a", "look", "x"), call("b", "look", "y")] }),
      SUMMARY,
      SUMMARY,
      { text: "done" },
    );
    await prompt(id, "look around");
    const order = await kinds(id);
    expect(order.indexOf("compaction")).toBeGreaterThan(order.lastIndexOf("toolResult"));
    expect(await compactions(id)).toHaveLength(1);
    await checkAll(rig);
  });

  it("is compacted after a last answer without asking the model to go on", async () => {
    const id = await filled(1200);
    rig.models.contextWindow = 2400;
    const model = rig.script(unmeasured({ text: words(800) }), SUMMARY, SUMMARY, { text: "never asked for" });
    await prompt(id, "one more");
    expect(await compactions(id)).toHaveLength(1);
    expect((await kinds(id)).at(-1)).toBe("compaction");
    expect(JSON.stringify(await rig.entries(id))).not.toContain("never asked for");
    expect(model.requests.length).toBeGreaterThan(1);
  });

  it("stays as it is when the summary is cut, and the run goes on", async () => {
    const id = await filled(1600);
    rig.models.contextWindow = 2400;
    rig.script({ text: "## Goal\nmig", stopReason: "length" }, { text: "an answer" });
    await prompt(id, words(500));
    expect(await compactions(id)).toEqual([]);
    expect((await kinds(id)).at(-1)).toBe("assistant");
    expect(notices(id).join()).toContain("was not compacted");
  });

  it("is left alone when compaction is switched off", async () => {
    await rig.process.settings.write({ compaction: { enabled: false } });
    const id = await filled(1600);
    rig.models.contextWindow = 2400;
    rig.script({ text: "an answer" });
    await prompt(id, words(500));
    expect(await compactions(id)).toEqual([]);
  });

  it("of a small model is compacted at most once in three steps", async () => {
    await rig.process.settings.write({});
    const id = await filled(9_000);
    rig.models.contextWindow = 16_384;
    rig.script(
      unmeasured({ calls: [call("a", "look", "x")] }),
      unmeasured({ calls: [call("b", "look", "y")] }),
      unmeasured({ text: words(200) }),
    );
    await prompt(id, "three steps");
    expect((await compactions(id)).length).toBeLessThanOrEqual(1);
  });
});

describe("a request that was too long", () => {
  it("is asked again once, compacted, without the answer that refused it", async () => {
    const id = await filled(1200);
    const model = rig.script(OVERFLOW, SUMMARY, SUMMARY, { text: "fits" });
    await prompt(id, "more");
    expect(await compactions(id)).toHaveLength(1);
    expect(await kinds(id)).toContain("context_edit");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain("prompt is too long");
    expect((await kinds(id)).at(-1)).toBe("assistant");
    await checkAll(rig);
  });

  it("is shown and nothing is written when compaction is switched off", async () => {
    await rig.process.settings.write({ compaction: { enabled: false } });
    const id = await filled(1200);
    rig.script(OVERFLOW);
    await prompt(id, "more");
    const order = await kinds(id);
    expect(order.filter((kind) => kind === "context_edit" || kind === "compaction")).toEqual([]);
    expect(notices(id).join()).toContain("switched off");
  });

  it("ends the run, with what is largest, when nothing can be reduced", async () => {
    const id = await make();
    const model = rig.script(OVERFLOW, OVERFLOW, OVERFLOW);
    await prompt(id, words(5000));
    expect(model.requests).toHaveLength(1);
    expect(notices(id).join()).toMatch(/largest.*your/s);
    expect(await compactions(id)).toEqual([]);
  });
});

describe("a compaction that is asked for while a run works", () => {
  it("waits for the calls that are running, and says so", async () => {
    const id = await filled(1200);
    rig.script({ calls: [call("a", "look", "wait")] }, SUMMARY, SUMMARY, { text: "done" });
    await send(id, { type: "prompt", text: "look" });
    await until(() => rig.gates.reached("wait"), "the call");
    const answer = await send(id, { type: "compact", instructions: "keep the goal" });
    expect(answer.note).toContain("as soon as");
    expect(await compactions(id)).toEqual([]);
    rig.gates.open("wait");
    await rig.idle(id);
    expect(await compactions(id)).toHaveLength(1);
    const order = await kinds(id);
    expect(order.indexOf("compaction")).toBeGreaterThan(order.lastIndexOf("toolResult"));
    expect(order.at(-1)).toBe("assistant");
    await checkAll(rig);
  });
});
