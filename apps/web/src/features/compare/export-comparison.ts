import { pairFiles } from "@espalier/core";
import type { BranchReport, Comparison, FileChange, PathItem } from "@espalier/protocol";
import { plural } from "../../view/format.ts";
import { endingOf, FACTS, LETTERS, SIDES, type Side } from "./compare-words.ts";
import { sizeOf } from "./side-lines.ts";

export interface ComparisonNames {
  readonly session: string;
  readonly fork: string;
  readonly a: string;
  readonly b: string;
}

/** A fence that the text itself does not end. */
const fenced = (text: string, language = ""): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
};

const inCell = (text: string): string => text.replaceAll("|", "\\|").replace(/\s+/g, " ").trim();

const answerText = (item: PathItem | null): string => {
  if (item?.kind !== "step" || item.entry.message.role !== "assistant") return "No answer.";
  const text = item.entry.message.content
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n\n");
  return text.trim() === "" ? "No words, only calls." : text;
};

const checkText = ({ check }: BranchReport): string =>
  check === null ? "none" : `${check.says} (\`${inCell(check.command)}\`)`;

const signed = (file: FileChange | null): string => {
  if (file === null) return "untouched";
  if (file.omitted !== undefined) return "too long to be told";
  const { added, removed } = sizeOf(file);
  return `+${added} \u2212${removed}${file.text === null ? "" : ", written whole"}`;
};

const changeText = (side: Side, file: FileChange): string[] => {
  if (file.omitted !== undefined) return [];
  const title = `#### ${LETTERS[side]}: \`${file.path}\``;
  const text = file.text === null ? [] : [fenced(file.text)];
  const hunks = file.hunks.map(({ before, after }) =>
    fenced(
      [...before.split("\n").map((line) => `-${line}`), ...after.split("\n").map((line) => `+${line}`)].join(
        "\n",
      ),
      "diff",
    ),
  );
  return text.length + hunks.length === 0 ? [] : [title, ...text, ...hunks];
};

/** A comparison as a Markdown file. */
export const comparisonText = (comparison: Comparison, names: ComparisonNames): string => {
  const { a, b, last } = comparison;
  const row = (cells: readonly string[]): string => `| ${cells.map(inCell).join(" | ")} |`;
  const files = pairFiles(a.files, b.files);
  const commands = SIDES.flatMap((side) =>
    comparison[side].commands.map(({ command }) => `- ${LETTERS[side]}: \`${inCell(command)}\``),
  );
  return [
    `# Two ways from ${names.fork}`,
    `Session: ${names.session}`,
    [
      row(["", "A", "B"]),
      "|---|---|---|",
      row(["branch", names.a, names.b]),
      ...FACTS.map((fact) => row([fact.name, fact.show(fact.value(a)), fact.show(fact.value(b))])),
      row(["last check", checkText(a), checkText(b)]),
    ].join("\n"),
    "## Outcome",
    ...SIDES.flatMap((side) => [
      `### ${LETTERS[side]}: ${names[side]}`,
      ...(endingOf(comparison[side]) === "" ? [] : [`Last answer, ${endingOf(comparison[side])}.`]),
      answerText(last[side]),
    ]),
    "## Files",
    "From edit and write calls. What the files held before is not known.",
    files.length === 0
      ? "Neither branch changed a file with them."
      : [
          row(["file", "A", "B"]),
          "|---|---|---|",
          ...files.map((pair) => row([`\`${pair.path}\``, signed(pair.a), signed(pair.b)])),
        ].join("\n"),
    ...files.flatMap((pair) => [
      ...(pair.a ? changeText("a", pair.a) : []),
      ...(pair.b && !pair.same ? changeText("b", pair.b) : []),
    ]),
    ...(commands.length === 0
      ? []
      : [
          `${plural(a.commandCount + b.commandCount, "command")} may have changed files besides:`,
          commands.join("\n"),
        ]),
    ...SIDES.flatMap((side) =>
      comparison[side].summaries.map(({ text }) => `## Branch summary, ${LETTERS[side]}\n\n${text}`),
    ),
    "",
  ].join("\n\n");
};

/** Gives a text to the browser as a file to keep. */
export const download = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
