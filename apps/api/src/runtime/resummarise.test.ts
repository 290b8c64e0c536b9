import { asKnown, buildContext, contextPath } from "@espalier/core";
import type { FakeStep } from "@espalier/core/testing";
import type { EntryId, SessionId } from "@espalier/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, code, kindOf, probe } from "./service-probe.case.ts";
import { checkAll, makeRig, type Rig } from "./service-rig.case.ts";

let rig: Rig;
const { make, send, prompt, snapshot, leafOf } = probe(() => rig);
beforeEach(async () => {
  rig = makeRig("jsonl");
  await rig.process.settings.write({ compaction: { keepRecentTokens: 100 } });
});
afterEach(() => rig.dispose());

const words = (tokens: number): string => "word ".repeat(Math.ceil((tokens * 4) / 5));
const summary = (name: string): FakeStep => ({
  text: `## Goal\n${name}\n## Progress\nP\n## Next Steps\nN\n## Original Request\nR\n## Progress So Far\nP\n## Context Needed to Continue\nC`,
});

const compactions = async (id: SessionId) =>
  (await rig.entries(id)).flatMap((entry) => {
    const known = asKnown(entry);
    return known?.type === "compaction" ? [known] : [];
  });

/** A session of three long turns, compacted; the first compaction. */
const compacted = async () => {
  const id = await make();
  rig.script(
    { text: words(300) },
    { text: words(300) },
    { text: words(300) },
    summary("one"),
    summary("one"),
  );
  for (const text of ["first", "second", "third"]) await prompt(id, `${text} ${words(200)}`);
  await send(id, { type: "compact" });
  await rig.idle(id);
  const [first] = await compactions(id);
  if (!first) throw new Error("nothing was compacted");
  return { id, first };
};

const said = async (id: SessionId): Promise<string> => {
  const stored = await rig.restarted().store.open(id);
  const context = buildContext(await stored.read(contextPath(stored.tree, await leafOf(id))));
  await stored.close();
  return JSON.stringify(context.messages);
};

describe("a second summary", () => {
  it("goes to the leaf where entries follow, which stay in the context", async () => {
    const { id, first } = await compacted();
    rig.script({ text: "an answer after it" });
    await prompt(id, "a question after it");
    const before = await rig.bytes(id);
    rig.script(summary("two"), summary("two"));
    await send(id, { type: "resummarise", entryId: first.id, instructions: "the goal" });
    await rig.idle(id);
    const second = (await compactions(id)).at(-1);
    expect(second).toMatchObject({ firstKeptEntryId: first.firstKeptEntryId });
    expect(second?.summary).toContain("two");
    const context = await said(id);
    for (const kept of ["a question after it", "an answer after it", "two"]) expect(context).toContain(kept);
    expect(context).not.toContain("\\none\\n");
    expect((await rig.bytes(id)).subarray(0, before.length)).toEqual(before);
    await checkAll(rig);
  });

  it("stands beside the first where nothing follows, and is where the session stands then", async () => {
    const { id, first } = await compacted();
    rig.script(summary("two"), summary("two"));
    await send(id, { type: "resummarise", entryId: first.id });
    await rig.idle(id);
    const second = (await compactions(id)).at(-1);
    expect(second?.parentId).toBe(first.parentId);
    expect(await leafOf(id)).toBe(second?.id);
    expect((await rig.restarted().service.snapshot(id, {})).leafId).toBe(second?.id);
    await checkAll(rig);
  });

  it("can be written by hand, and no model is asked", async () => {
    const { id, first } = await compacted();
    const model = rig.script();
    await send(id, { type: "resummarise", entryId: first.id, summary: "## Goal\nmine" });
    expect(model.requests).toEqual([]);
    expect(await said(id)).toContain("mine");
    expect(await code(send(id, { type: "resummarise", entryId: first.id, summary: " " }))).toBe(
      "bad_command",
    );
    await checkAll(rig);
  });

  it("keeps lines word for word, and so does every later one", async () => {
    const { id, first } = await compacted();
    rig.script(summary("two"), summary("two"));
    await send(id, { type: "resummarise", entryId: first.id, verbatim: ["npx tsgo --noEmit"] });
    await rig.idle(id);
    expect((await compactions(id)).at(-1)?.summary).toContain("- npx tsgo --noEmit");
    rig.script({ text: words(400) }, summary("three"), summary("three"));
    await prompt(id, words(400));
    await send(id, { type: "compact" });
    await rig.idle(id);
    expect((await compactions(id)).at(-1)?.summary).toContain("- npx tsgo --noEmit");
  });

  it("that is not whole changes nothing", async () => {
    const { id, first } = await compacted();
    const before = await rig.bytes(id);
    rig.script({ text: "## Goal", stopReason: "length" });
    await send(id, { type: "resummarise", entryId: first.id });
    await rig.idle(id);
    expect(await compactions(id)).toHaveLength(1);
    expect((await rig.bytes(id)).subarray(0, before.length)).toEqual(before);
  });

  it("is refused for what is no compaction", async () => {
    const { id } = await compacted();
    const [entry] = await rig.entries(id);
    const before = await rig.bytes(id);
    expect(await code(send(id, { type: "resummarise", entryId: entry?.id as EntryId }))).toBe("bad_command");
    expect(await code(send(id, { type: "resummarise", entryId: "nobody" as EntryId }))).toBe("not_found");
    expect(await rig.bytes(id)).toEqual(before);
  });
});

describe("a cut that a person chose", () => {
  it("holds, and never falls between a call and its result", async () => {
    const id = await make();
    rig.script(
      { text: words(200), calls: [call("a", "look", "x")] },
      { text: words(200) },
      { text: words(200) },
      summary("s"),
      summary("s"),
    );
    await prompt(id, words(200));
    await prompt(id, words(200));
    const entries = await rig.entries(id);
    const result = entries.find((entry) => kindOf(entry) === "toolResult");
    const before = await rig.bytes(id);
    expect(await code(send(id, { type: "compact", firstKept: result?.id as EntryId }))).toBe("nothing_to_do");
    expect(await rig.bytes(id)).toEqual(before);
    const second = entries.findLast((entry) => kindOf(entry) === "user");
    await send(id, { type: "compact", firstKept: second?.id as EntryId });
    await rig.idle(id);
    expect((await compactions(id))[0]?.firstKeptEntryId).toBe(second?.id);
    expect((await snapshot(id)).damage).toEqual([]);
    await checkAll(rig);
  });
});

describe("a compaction without a model", () => {
  it("takes what was asked and what failed word for word, and asks nobody", async () => {
    const id = await make();
    rig.script({ text: words(3000) }, { text: words(300) });
    await prompt(id, `Never touch src/legacy.ts. ${words(200)}`);
    await prompt(id, words(200));
    const model = rig.script();
    await send(id, { type: "compact", extract: true });
    expect(model.requests).toEqual([]);
    const [made] = await compactions(id);
    expect(made?.summary).toContain("Never touch src/legacy.ts.");
    expect(await leafOf(id)).toBe(made?.id);
    await checkAll(rig);
  });
});
