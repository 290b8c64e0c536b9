/** Words a command may begin with and still be what follows them. */
const BEFORE = /^(?:(?:[A-Za-z_]\w*=\S*|sudo|time|exec|env|command)\s+)*/;
const RUNNER =
  /^(?:npx|bunx|pnpx|uvx|(?:npm|pnpm|yarn|bun)(?:\s+(?:run|exec|--silent|-s))*|uv run|poetry run|bundle exec)\s+/;
const CHECKS =
  /^(?:(?:\S*\/)?(?:tests?|check|build|lint|typecheck|type-check|ci|verify|tsc|tsgo|vitest|jest|mocha|ava|playwright|pytest|tox|mypy|ruff|flake8|pyright|eslint|oxlint|biome|rspec|phpunit|ctest|make|ninja|gradlew?|mvnw?)(?:[:.\s-].*)?$|(?:cargo|go|dotnet|swift|deno|mix|zig|bazel|node)\s+(?:--)?(?:tests?|build|check|clippy|vet|lint|compile)\b)/;

/** Commands that only look, as far as their first word tells. */
const LOOKS = new Set(
  "cat ls pwd cd echo head tail wc grep rg ag find fd tree stat file du df which type env printenv date diff cmp sort uniq cut tr jq less more test true false sleep ps whoami uname basename dirname realpath readlink xxd od hexdump".split(
    " ",
  ),
);
const GIT_LOOKS =
  /^git\s+(?:-\S+\s+\S+\s+)?(?:status|log|diff|show|blame|branch|remote|rev-parse|ls-files|grep|describe|shortlog)\b/;

/** What stands in quotes is no command, whatever signs are in it. */
const withoutQuotes = (command: string): string =>
  command.replace(/'[^']*'|"(?:\\[^]|[^"\\])*"/g, (quoted) => (/[\s|;&<>\\]/.test(quoted) ? "''" : quoted));

/** The simple commands a line is made of. */
const partsOf = (command: string): string[] =>
  withoutQuotes(command)
    .split(/&&|\|\||[;|\n]/)
    .map((part) => part.trim().replace(BEFORE, ""))
    .filter((part) => part !== "");

/** Whether a shell command tests, builds, lints or checks something, as far as its words tell. */
export const looksLikeCheck = (command: string): boolean =>
  partsOf(command).some((part) => {
    const run = part.replace(RUNNER, "");
    if (LOOKS.has(part.split(/\s/, 1)[0] ?? "")) return false;
    return CHECKS.test(run);
  });

/** Whether a shell command may have changed files: anything that is not known to only look. */
export const mayChangeFiles = (command: string): boolean =>
  />(?!&|\s*\/dev\/null)/.test(withoutQuotes(command)) ||
  partsOf(command).some((part) => {
    if (GIT_LOOKS.test(part) || part.startsWith("#")) return false;
    const first = part.split(/\s/, 1)[0] ?? "";
    if (first === "find") return /\s-(?:delete|exec|ok)/.test(part);
    if (first === "sed") return /\s-\w*i|\s--in-place/.test(part);
    return !LOOKS.has(first);
  });

/** How a check ended: its exit code and the errors it counted, where its output says so. */
export interface CheckEnd {
  readonly failed: boolean;
  /** In a word or two: "61 errors", "exit 2", "failed", "clean". */
  readonly says: string;
}

const plural = (count: number): string => `${count} ${count === 1 ? "error" : "errors"}`;

/** Errors or failures that an output counts itself; null when it counts none. The last count holds. */
const countedErrors = (output: string): number | null => {
  const counts = [...output.matchAll(/\b(\d+)\s+(?:errors?|failed|failures?|failing)\b/gi)];
  const last = counts.at(-1)?.[1];
  if (last !== undefined) return Number(last);
  const lines = output.match(/\berror(?: TS\d+|\[E\d+\])?:/g);
  return lines === null ? null : lines.length;
};

/** Reads the end of a check from its output; `isError` as the tool said. */
export const checkEnd = (output: string, isError: boolean): CheckEnd => {
  const errors = countedErrors(output);
  if (errors !== null && errors > 0) return { failed: true, says: plural(errors) };
  const exit = /(?:exited with code|exit code:?) (\d+)\s*$/i.exec(output.trimEnd())?.[1];
  if (exit !== undefined && exit !== "0") return { failed: true, says: `exit ${exit}` };
  return isError ? { failed: true, says: "failed" } : { failed: false, says: "clean" };
};
