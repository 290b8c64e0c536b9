import { describe, expect, it } from "vitest";
import { fullText, imagesOf, textAttachment } from "./attachments.ts";
import { readCommand } from "./commands.ts";
import { complete, mentions, triggerAt } from "./suggest.ts";

describe("what asks for suggestions", () => {
  it("is a command at the start of the text or a file at the start of a word", () => {
    expect(triggerAt("/co", 3)).toEqual({ kind: "command", search: "co", from: 0 });
    expect(triggerAt("/compact now", 12)).toBeNull();
    expect(triggerAt("see @src/ma", 11)).toEqual({ kind: "file", search: "src/ma", from: 4 });
    expect(triggerAt("me@home", 7)).toBeNull();
    expect(triggerAt("@", 1)).toEqual({ kind: "file", search: "", from: 0 });
  });

  it("is replaced as a whole, the rest stays", () => {
    const trigger = triggerAt("see @src now", 8);
    expect(trigger && complete("see @src now", 8, trigger, "@src/main.ts ")).toEqual({
      text: "see @src/main.ts  now",
      cursor: 17,
    });
  });

  it("marks files and keeps the text as it was typed", () => {
    const text = "a @b/c.md, (@d) e@f";
    expect(
      mentions(text)
        .map((piece) => piece.text)
        .join(""),
    ).toBe(text);
    expect(
      mentions(text)
        .filter(({ mention }) => mention)
        .map((piece) => piece.text),
    ).toEqual(["@b/c.md,", "@d)"]);
  });
});

describe("commands", () => {
  it("are read with their argument; other texts are messages", () => {
    expect(readCommand("/compact keep the plan")).toMatchObject({
      command: { name: "compact" },
      argument: "keep the plan",
    });
    expect(readCommand(" /new ")).toMatchObject({ command: { name: "new" }, argument: "" });
    expect(readCommand("/usr/bin/env")).toBeNull();
    expect(readCommand("/nonsense")).toBeNull();
  });
});

describe("attachments", () => {
  it("stand below the typed text, each in a fence of its own", () => {
    const pasted = textAttachment("line 1\nline 2");
    expect(fullText(" look ", [pasted])).toBe("look\n\npasted text:\n````\nline 1\nline 2\n````");
    expect(imagesOf([pasted])).toEqual([]);
  });
});
