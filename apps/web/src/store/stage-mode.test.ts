import { entryId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { modeOf, type StageMode, searchOf } from "./stage-mode.ts";

describe("what the stage shows", () => {
  const modes: StageMode[] = [
    { kind: "talk", at: null },
    { kind: "talk", at: entryId("e1") },
    { kind: "map", at: null },
    { kind: "map", at: entryId("e1") },
    { kind: "compare", a: entryId("e1"), b: entryId("e2") },
    { kind: "compaction", id: entryId("e1") },
    { kind: "preview" },
  ];
  it.each(modes)("is an address and comes back from it: $kind", (mode) => {
    expect(modeOf(new URLSearchParams(searchOf(mode)))).toEqual(mode);
  });

  it.each(["a=e1", "b=e1", "view=what", "at=", "a=&b="])("is the transcript for %s", (search) => {
    expect(modeOf(new URLSearchParams(search))).toEqual({ kind: "talk", at: null });
  });
});
