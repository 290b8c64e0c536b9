import type { SessionTree } from "@espalier/core";
import type { Row } from "@espalier/protocol";
import { useEffect, useState } from "react";

const ROLES: Readonly<Record<string, string>> = {
  user: "you",
  assistant: "answer",
  toolResult: "result",
  bashExecution: "command",
  system: "system",
};

export const roleOf = (row: Row): string =>
  row.role === undefined ? row.type.replaceAll("_", " ") : (ROLES[row.role] ?? row.role);

/** Whether every word stands in the label, the kind, the name, the first words or the paths of an entry. */
const matches = (tree: SessionTree, row: Row, words: readonly string[]): boolean => {
  if (tree.isAside(row.id)) return false;
  const files = row.files === undefined ? "" : row.files.join(" ");
  const text =
    `${tree.labels.get(row.id) ?? ""} ${roleOf(row)} ${row.name ?? ""} ${row.line ?? ""} ${files}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

/** As long as this a slice of a search may take, ms: keys that are pressed meanwhile are felt at once. */
const SLICE_MS = 8;

interface Found {
  readonly rows: readonly Row[];
  /** All rows were looked at. */
  readonly done: boolean;
}

const NOTHING: Found = { rows: [], done: true };

/** Searches rows in slices, so that typing never waits for it; what was found before stays until there is something new. */
export const useFound = (tree: SessionTree, version: number, search: string): Found => {
  const [found, setFound] = useState(NOTHING);
  useEffect(() => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0 || version < 0) return undefined;
    const rows: Row[] = [];
    let at = 0;
    let timer: ReturnType<typeof setTimeout>;
    const slice = (): void => {
      const end = performance.now() + SLICE_MS;
      for (; at < tree.rows.length; at += 1) {
        const row = tree.rows[at];
        if (row && matches(tree, row, words)) rows.push(row);
        if (at % 256 === 0 && performance.now() > end) break;
      }
      const done = at >= tree.rows.length;
      if (done || rows.length > 0) setFound({ rows: [...rows], done });
      if (!done) {
        at += 1;
        timer = setTimeout(slice);
      }
    };
    timer = setTimeout(slice);
    return () => clearTimeout(timer);
  }, [tree, version, search]);
  return found;
};
