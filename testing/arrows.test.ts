import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const root = dirname(import.meta.dirname);

/** Which rooms a room may import, by source folder. A room that is not named here fails the test below. */
const ARROWS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "packages/core/src": {
    problem: [],
    wire: ["problem"],
    kernel: [],
    session: ["problem"],
    group: ["session", "problem"],
    context: ["session", "group", "problem"],
    compaction: ["session", "group", "context", "problem"],
    state: ["session", "group", "context", "compaction", "problem"],
    loop: ["session", "group", "context", "compaction", "problem"],
    layout: ["session", "group", "problem"],
    compare: ["session", "group", "problem"],
    store: ["session", "problem"],
  },
  "apps/api/src": {
    files: [],
    credentials: ["files"],
    security: ["files"],
    storage: ["files"],
    providers: ["files"],
    tools: ["files"],
    extensions: [],
    runtime: ["files"],
    routes: ["security"],
    cli: ["files", "providers", "runtime", "storage", "tools"],
  },
  "apps/web/src": {
    client: [],
    ui: [],
    store: ["client", "ui"],
    view: ["store", "ui"],
    features: ["view", "store", "ui"],
    pages: ["features", "view", "store", "ui"],
  },
};
/** Rooms that tests alone import: they may look everywhere. */
const FOR_TESTS = new Set(["packages/core/src/testing"]);

interface Plant {
  readonly file: string;
  readonly text: string;
  /** The rule that must object; null when nothing may. */
  readonly rule: string | null;
}

const RESTRICTED = "no-restricted-imports";
const imports = (file: string, from: string, rule: string | null = RESTRICTED): Plant => ({
  file,
  text: `import { planted } from "${from}";\nexport const seen = planted;\n`,
  rule,
});

const roomPlants = Object.entries(ARROWS).flatMap(([folder, rooms]) =>
  Object.entries(rooms).flatMap(([room, allowed]) =>
    Object.keys(rooms)
      .filter((other) => other !== room)
      .flatMap((other) => {
        const rule = allowed.includes(other) ? null : RESTRICTED;
        return [
          ...(room === "features"
            ? []
            : [imports(`${folder}/${room}/to-${other}.ts`, `../${other}/planted.ts`, rule)]),
          imports(`${folder}/${room}/deep/to-${other}.ts`, `../../${other}/planted.ts`, rule),
        ];
      }),
  ),
);

const longFile = `${Array.from({ length: 401 }, (_, line) => `export const line${line} = ${line};`).join("\n")}\n`;
const longFunction = (lines: number): string =>
  `export const long = (start: number): number => {\n  let sum = start;\n${"  sum += 1;\n".repeat(lines)}  return sum;\n};\n`;

const PLANTS: readonly Plant[] = [
  ...roomPlants,
  imports("packages/protocol/src/a.ts", "node:fs", "no-nodejs-modules"),
  imports("packages/protocol/src/b.ts", "@espalier/core"),
  imports("packages/protocol/src/c.ts", "hono"),
  imports("packages/protocol/src/d.ts", "@sinclair/typebox", null),
  imports("packages/core/src/session/a.ts", "node:fs", "no-nodejs-modules"),
  imports("packages/core/src/session/b.ts", "react"),
  imports("packages/core/src/session/c.ts", "@espalier/api"),
  imports("packages/core/src/session/d.ts", "@espalier/protocol", null),
  imports("packages/core/src/session/e.ts", "../index.ts"),
  imports("packages/core/src/kernel/a.ts", "@espalier/protocol"),
  {
    file: "packages/core/src/session/f.ts",
    text: "export const a = process.pid;\n",
    rule: "no-restricted-globals",
  },
  { file: "packages/core/src/loop/f.ts", text: "setTimeout(() => {}, 1);\n", rule: "no-restricted-globals" },
  imports("apps/api/src/runtime/a.ts", "@espalier/web"),
  imports("apps/api/src/runtime/b.ts", "react"),
  imports("apps/api/src/runtime/c.ts", "../compose.ts"),
  imports("apps/api/src/runtime/d.ts", "../app.ts"),
  imports("apps/api/src/runtime/e.ts", "openai"),
  imports("apps/api/src/providers/a.ts", "openai", null),
  imports("apps/api/src/tools/a.ts", "@anthropic-ai/sdk"),
  imports("apps/api/src/routes/a.ts", "../runtime/session-service.ts", null),
  imports("apps/api/src/routes/b.ts", "../runtime/event-log.ts", null),
  imports("apps/api/src/routes/c.ts", "../runtime/session-runtime.ts"),
  imports("apps/api/src/app.ts", "./storage/fs.ts"),
  imports("apps/web/src/store/a.ts", "node:fs", "no-nodejs-modules"),
  imports("apps/web/src/store/b.ts", "@espalier/api"),
  imports("apps/web/src/store/c.ts", "hono"),
  imports("apps/web/src/store/d.ts", "../ui/Button.tsx"),
  imports("apps/web/src/client/a.ts", "react"),
  imports("apps/web/src/client/b.ts", "zustand"),
  imports("apps/web/src/ui/a.ts", "@espalier/protocol"),
  imports("apps/web/src/features/tree/a.ts", "../composer/planted.ts"),
  imports("apps/web/src/features/tree/b.ts", "../../view/planted.ts", null),
  imports("apps/web/src/view/a.tsx", "../App.tsx"),
  imports("apps/web/src/store/e.test.ts", "../../../api/src/app.ts"),
  {
    file: "apps/api/src/runtime/any.ts",
    text: "export const a = (b: any): number => b;\n",
    rule: "no-explicit-any",
  },
  { file: "apps/api/src/runtime/long.ts", text: longFile, rule: "max-lines" },
  { file: "apps/api/src/runtime/fn.ts", text: longFunction(60), rule: "max-lines-per-function" },
  { file: "apps/api/src/runtime/fits.ts", text: longFunction(50), rule: null },
  { file: "apps/web/src/view/Long.tsx", text: longFunction(90), rule: "max-lines-per-function" },
  { file: "apps/web/src/view/Fits.tsx", text: longFunction(80), rule: null },
  imports("apps/api/src/runtime/cycle-a.ts", "./cycle-b.ts", "no-cycle"),
  imports("apps/api/src/runtime/cycle-b.ts", "./cycle-a.ts", "no-cycle"),
];

const TYPED: readonly Plant[] = [
  {
    file: "apps/api/src/runtime/floating.ts",
    text: "const work = async (): Promise<void> => {};\nexport const start = (): void => {\n  work();\n};\n",
    rule: "no-floating-promises",
  },
  {
    file: "packages/core/src/group/switch.ts",
    text: 'export const a = (b: "x" | "y"): number => {\n  switch (b) {\n    case "x":\n      return 1;\n  }\n  return 2;\n};\n',
    rule: "switch-exhaustiveness-check",
  },
];

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
}

const folder = mkdtempSync(join(tmpdir(), "espalier-arrows-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the repo's lint over planted files; answers the rules that objected, by file. */
const lint = (plants: readonly Plant[]): Map<string, Set<string>> => {
  cpSync(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  writeFileSync(join(folder, "tsconfig.json"), '{"compilerOptions":{"strict":true,"target":"ES2023"}}\n');
  for (const { file, text } of plants) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  let out: string;
  try {
    out = execFileSync(join(root, "node_modules/.bin/oxlint"), ["--type-aware", "-f", "json"], {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch (error) {
    out = (error as { stdout: string }).stdout;
  }
  const found = new Map<string, Set<string>>();
  for (const { code, filename } of (JSON.parse(out) as { diagnostics: readonly Diagnostic[] }).diagnostics) {
    const rules = found.get(filename) ?? new Set();
    rules.add(code.replace(/^.*\(|\)$/g, ""));
    found.set(filename, rules);
  }
  return found;
};

describe("lint", () => {
  it("catches every planted violation and nothing else", () => {
    const plants = [...PLANTS, ...TYPED];
    const found = lint(plants);
    const wrong = plants.flatMap(({ file, rule }) => {
      const rules = found.get(file) ?? new Set();
      const ok =
        rule === null ? !rules.has(RESTRICTED) && !rules.has("max-lines-per-function") : rules.has(rule);
      return ok ? [] : [`${file}: expected ${rule ?? "nothing"}, got ${[...rules].join(", ") || "nothing"}`];
    });
    expect(wrong).toEqual([]);
  });

  it("knows every room", () => {
    const unknown = Object.entries(ARROWS).flatMap(([source, rooms]) =>
      readdirSync(join(root, source), { withFileTypes: true })
        .filter((one) => one.isDirectory())
        .filter(({ name }) => !Object.hasOwn(rooms, name) && !FOR_TESTS.has(`${source}/${name}`))
        .map(({ name }) => `${source}/${name}`),
    );
    expect(unknown).toEqual([]);
  });
});

/**
 * Files that compare a message's role with a tool result's, each for another reason than finding out what belongs together.
 * Whoever wants to know that asks a tool group.
 */
const ROLE_ASKED_BY: Readonly<Record<string, string>> = {
  "packages/core/src/group/elsewhere.ts": "finds where the other half of a group lies",
  "packages/core/src/group/item-of-entry.ts": "feeds the joining",
  "packages/core/src/context/pair-messages.ts":
    "the request guard reads model messages, which have no groups",
  "packages/core/src/compaction/branch-summary.ts":
    "a model sums a branch up without its results, as pi does",
  "packages/core/src/session/append-entry.ts": "writes pi's key order",
  "packages/core/src/session/row.ts": "makes a row of an entry",
  "packages/core/src/layout/drawn-tree.ts": "rows: a filter leaves results out",
  "packages/core/src/layout/fold.ts": "rows: a result is drawn with its call",
  "apps/api/src/runtime/path-reader.ts": "rows: which bodies a joining needs",
  "apps/api/src/runtime/landing.ts": "rows: where the results of a batch lie on disk",
  "apps/api/src/providers/openai-chat/to-request.ts": "model messages to the provider's shape",
  "apps/api/src/providers/demo/script.ts": "reads model messages, as a provider does",
  "apps/api/src/cli/inspect-report.ts": "counts the whole file, not a path",
  "apps/web/src/features/compare/compare-words.ts": "names rows",
  "apps/web/src/features/strips/RunAnnouncer.tsx": "counts rows",
  "apps/web/src/features/composer/RunState.tsx": "counts rows",
  "apps/web/src/store/window-history.ts": "counts rows",
  "apps/web/src/features/inspector/ContextPane.tsx": "names rows",
  "apps/web/src/store/path-view.ts": "rows: a result is shown with its call",
  "apps/web/src/view/item/branch-name.ts": "rows: a result names no branch",
};

const sources = function* (path: string): Generator<string> {
  for (const one of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, one.name);
    if (one.isDirectory()) {
      if (one.name !== "node_modules" && one.name !== "testing") yield* sources(inside);
    } else if (/\.tsx?$/.test(one.name) && !/\.(test|case)\.tsx?$/.test(one.name)) yield inside;
  }
};

describe("tool results", () => {
  it("are told from other messages where groups are joined, and by those named here", () => {
    const asking = ["packages", "apps"]
      .flatMap((folder) => [...sources(join(root, folder))])
      .filter((path) => /[!=]== "toolResult"|"toolResult" [!=]==/.test(readFileSync(path, "utf8")))
      .map((path) => relative(root, path));
    expect(asking.sort()).toEqual(Object.keys(ROLE_ASKED_BY).sort());
  });
});
