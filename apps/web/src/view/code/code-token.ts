/** A piece of code in one colour; without one it is plain ink. */
export interface CodeToken {
  readonly text: string;
  readonly colour?: "key" | "string" | "function" | "comment" | "number" | undefined;
}

/** Splits coloured pieces at line ends. */
export const linesOfTokens = (tokens: readonly CodeToken[]): CodeToken[][] => {
  const lines: CodeToken[][] = [[]];
  for (const token of tokens) {
    const parts = token.text.split("\n");
    parts.forEach((text, index) => {
      if (index > 0) lines.push([]);
      if (text !== "") lines.at(-1)?.push({ ...token, text });
    });
  }
  return lines;
};
