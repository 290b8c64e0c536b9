/** What a summary says under one of its headings, without the heading; empty where it does not have it. */
export const sectionOf = (summary: string, heading: string): string => {
  const lines = summary.split("\n");
  const start = lines.findIndex((line) => line.trim() === heading);
  if (start < 0) return "";
  const level = /^#+/.exec(heading)?.[0].length ?? 2;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => {
    const other = /^(#+) /.exec(line)?.[1];
    return (other !== undefined && other.length <= level) || /^(?:---|<[a-z]+-files>)/.test(line);
  });
  const text = (end < 0 ? rest : rest.slice(0, end)).join("\n").trim();
  return /^\(.*\)$/s.test(text) && !text.includes("\n") ? "" : text;
};

/** The lines of a list under a heading. */
export const listOf = (summary: string, heading: string): string[] =>
  sectionOf(summary, heading)
    .split("\n")
    .filter((line) => /^- /.test(line));
