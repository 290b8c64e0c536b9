/** A key as a person may see it: enough to tell two apart. */
export const masked = (key: string): string =>
  key.length < 12 ? "…" : `${key.slice(0, 4)}…${key.slice(-4)}`;
