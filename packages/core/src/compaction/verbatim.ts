const HEADING = "## Keep Verbatim";

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** The lines that a summary holds word for word because somebody asked for it. */
export const verbatimLines = (summary: string): string[] => {
  const lines = summary.split("\n");
  const start = lines.lastIndexOf(HEADING);
  if (start < 0) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^(?:#{1,6} |<|---)/.test(line));
  return (end < 0 ? rest : rest.slice(0, end)).flatMap((line) =>
    line.startsWith("- ") ? [line.slice(2)] : [],
  );
};

/** A summary with these lines at its end, each once, in place of those it holds already. */
export const withVerbatim = (summary: string, lines: readonly string[]): string => {
  const wanted = [...new Set(lines.map(oneLine).filter((line) => line !== ""))];
  if (wanted.length === 0) return summary;
  const held = summary.split("\n");
  const start = held.lastIndexOf(HEADING);
  const end = start < 0 ? -1 : held.findIndex((line, at) => at > start && /^(?:#{1,6} |<|---)/.test(line));
  const rest = start < 0 ? held : [...held.slice(0, start), ...(end < 0 ? [] : held.slice(end))];
  return `${rest.join("\n").trimEnd()}\n\n${HEADING}\n${wanted.map((line) => `- ${line}`).join("\n")}`;
};
