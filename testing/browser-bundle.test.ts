import { dirname, join } from "node:path";
import { build, type Rollup } from "vite";
import { describe, expect, it } from "vitest";

const root = dirname(import.meta.dirname);

/** Bundles one source file for a browser; answers the code and every import that is not in it. */
const bundle = async (entry: string): Promise<{ code: string; outside: readonly string[] }> => {
  const outside: string[] = [];
  const built = await build({
    configFile: false,
    root,
    logLevel: "silent",
    build: {
      write: false,
      minify: false,
      target: "es2023",
      lib: { entry: join(root, entry), formats: ["es"] },
    },
    plugins: [
      {
        name: "name-node-imports",
        enforce: "pre",
        resolveId: (id) => {
          if (id.startsWith("node:")) outside.push(id);
          return null;
        },
      },
    ],
  });
  const outputs = (Array.isArray(built) ? built : [built]) as readonly Rollup.RollupOutput[];
  const chunks = outputs.flatMap(({ output }) => output).filter((one) => one.type === "chunk");
  outside.push(...chunks.flatMap((one) => one.imports));
  return { code: chunks.map((one) => one.code).join("\n"), outside };
};

describe("core in a browser", () => {
  for (const entry of ["packages/core/src/index.ts", "packages/core/src/kernel/index.ts"]) {
    it(`${entry} needs nothing of Node`, async () => {
      const { code, outside } = await bundle(entry);
      expect(outside).toEqual([]);
      expect(code.length).toBeGreaterThan(1000);
      expect(code).not.toMatch(/\b(?:process|Buffer)\.|\brequire\(|__vite-browser-external/);
    });
  }

  it("would tell of an import of Node", async () => {
    const { outside } = await bundle("apps/api/src/files/json-file.ts");
    expect(outside).toContain("node:fs/promises");
  });
});
