import { describe, expect, it } from "vitest";
import { visibleText } from "./visible-text.ts";

describe("text that is run", () => {
  it("shows what would turn it around or hide in it", () => {
    expect(visibleText("rm \u202Efdp.\u202C x\u200By")).toBe("rm \\u202efdp.\\u202c x\\u200by");
    expect(visibleText("\ufeffa\u2066b\u2069")).toBe("\\ufeffa\\u2066b\\u2069");
  });

  it("leaves other letters as they are", () => {
    expect(visibleText("مرحبا שלום naïve 日本 a\tb\n")).toBe("مرحبا שלום naïve 日本 a\tb\n");
  });
});
