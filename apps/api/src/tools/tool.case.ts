import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Tool, ToolOutput } from "@espalier/core";
import { toolCallId } from "@espalier/protocol";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { runs } from "../../../../testing/data-folder.ts";
import { MAX_BYTES } from "./truncate-output.ts";
import { validateArguments } from "./validate-arguments.ts";

/** A folder of its own for a test file, gone afterwards. */
export const temporaryFolder = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "espalier-tool-")));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

export interface Ran extends ToolOutput {
  /** All text of the result. */
  readonly text: string;
  /** What came while it ran. */
  readonly streamed: string;
}

/** Runs a tool as the loop does: mended, validated, executed. */
export const runTool = async (
  tool: Tool,
  args: Record<string, unknown>,
  cwd: string,
  signal: AbortSignal = new AbortController().signal,
  env: Record<string, string> = {},
): Promise<Ran> => {
  const checked = validateArguments(tool.spec.parameters, tool.prepare?.(args) ?? args);
  if (!checked.ok) throw new Error(checked.error);
  let streamed = "";
  const output = await tool.execute(checked.value, {
    toolCallId: toolCallId("t1"),
    cwd,
    signal,
    env,
    onOutput: (text) => {
      streamed += text;
    },
  });
  const text = output.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  return { ...output, text, streamed };
};

/** What every tool must do. `args` must succeed in `folder`. */
export const toolCase = (tool: Tool, folder: string, args: Record<string, unknown>): void => {
  describe(`${tool.spec.name} as a tool`, () => {
    it("has a name, words and a schema a model can be given", () => {
      expect(tool.spec.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(tool.spec.description.length).toBeGreaterThan(20);
      const sent = JSON.parse(JSON.stringify(tool.spec.parameters));
      expect(sent.type).toBe("object");
      for (const field of Object.values<{ description?: string }>(sent.properties)) {
        expect(field.description).toBeTruthy();
      }
    });

    it("runs, with a result that can be written and sent", async () => {
      const output = await runTool(tool, args, folder);
      expect(output.isError, output.text).toBe(false);
      expect(output.content.length).toBeGreaterThan(0);
      expect(output.text.trim()).not.toBe("");
      expect(output.text.isWellFormed()).toBe(true);
      expect(Buffer.byteLength(output.text)).toBeLessThan(MAX_BYTES + 2000);
      expect(JSON.parse(JSON.stringify(output.details ?? null))).toEqual(output.details ?? null);
    });

    it("does nothing when it was stopped before it began", async () => {
      const output = await runTool(tool, args, folder, AbortSignal.abort());
      expect(output.isError).toBe(true);
    });

    it("refuses arguments that do not fit, also past the validator", async () => {
      const context = {
        toolCallId: toolCallId("t1"),
        cwd: folder,
        signal: new AbortController().signal,
        env: {},
        onOutput: () => undefined,
      };
      const junk = Object.fromEntries(Object.keys(args).map((key) => [key, { not: "this" }]));
      if (Object.keys(junk).length === 0) return;
      expect(validateArguments(tool.spec.parameters, junk).ok).toBe(false);
      expect((await tool.execute(junk, context)).isError).toBe(true);
    });

    it("answers for a folder that is gone", async () => {
      const output = await runTool(tool, args, join(folder, "gone", "away"));
      expect(output.text).not.toBe("");
    });

    it("names its subject and mends arguments without throwing, whatever comes", () => {
      const keys = fc.constantFrom("path", "command", "pattern", "edits", "oldText", "newText", "content");
      fc.assert(
        fc.property(fc.dictionary(keys, fc.jsonValue()), (junk) => {
          expect(typeof tool.subject(junk)).toBe("string");
          const mended = tool.prepare?.(junk) ?? junk;
          validateArguments(tool.spec.parameters, mended);
        }),
        { numRuns: runs(100) },
      );
    });
  });
};
