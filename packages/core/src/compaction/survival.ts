import type { PathItem } from "@espalier/protocol";
import { type Fact, type FactKind, factsOfItem } from "./text-facts.ts";

/** Whether a summary says a thing: as it stands, only a part of it, or not at all. */
export type Survival = "found" | "partly" | "missing";

interface JudgedFact extends Fact {
  readonly survival: Survival;
}

/** How much of one kind a summary holds. */
export interface KindSurvival {
  readonly found: number;
  readonly partly: number;
  readonly total: number;
}

export interface SurvivalReport {
  /** One mark for every item, in order; null for an item that names nothing. */
  readonly marks: readonly (Survival | null)[];
  readonly kinds: Readonly<Record<FactKind, KindSurvival>>;
  /** What the summary does not say, each once, in the order of the path. */
  readonly missing: readonly Fact[];
}

const flat = (text: string): string => text.replace(/\s+/g, " ").trim();

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The text as a word of its own: "12" is not in "1234", "run" not in "running". */
const holdsWord = (summary: string, text: string): boolean =>
  new RegExp(`(?<![\\w/-]|\\d[.,])${escaped(text)}(?![\\w-]|[.,]\\d)`).test(summary);

/** A part by which somebody would still know what is meant; null for what has none. */
const partOf = ({ kind, text }: Fact): string | null => {
  switch (kind) {
    case "path": {
      const name = text.split("/").findLast((part) => part !== "") ?? "";
      return name !== text && name.length > 2 ? name : null;
    }
    case "command": {
      const words = flat(text).split(" ");
      return words.length > 2 ? words.slice(0, 2).join(" ") : null;
    }
    case "error":
      return (
        /'([^']{3,})'|"([^"]{3,})"|`([^`]{3,})`|\b(TS\d{3,5})\b/.exec(text)?.slice(1).find(Boolean) ?? null
      );
    case "number":
    case "identifier":
      return null;
  }
};

/** Looks for a thing in a summary. A comparison of texts and nothing more: it cannot know what was meant. */
export const judgeFact = (fact: Fact, summary: string): Survival => {
  const whole = flat(fact.text);
  const found =
    fact.kind === "number" || fact.kind === "identifier" || fact.kind === "path"
      ? holdsWord(summary, whole)
      : summary.includes(whole);
  if (found) return "found";
  const part = partOf(fact);
  return part !== null && holdsWord(summary, part) ? "partly" : "missing";
};

const markOf = (judged: readonly JudgedFact[]): Survival | null => {
  if (judged.length === 0) return null;
  if (judged.every(({ survival }) => survival === "found")) return "found";
  return judged.every(({ survival }) => survival === "missing") ? "missing" : "partly";
};

const NONE: KindSurvival = { found: 0, partly: 0, total: 0 };

/** What of the items that a compaction summarised its summary still names, by matching texts. */
export const survivalReport = (items: readonly PathItem[], summary: string): SurvivalReport => {
  const told = flat(summary);
  const judged = new Map<string, JudgedFact>();
  const marks = items.map((item) => {
    const facts = factsOfItem(item).map((fact): JudgedFact => {
      const key = `${fact.kind} ${fact.text}`;
      const known = judged.get(key) ?? { ...fact, survival: judgeFact(fact, told) };
      judged.set(key, known);
      return known;
    });
    return markOf(facts);
  });
  const kinds: Record<FactKind, KindSurvival> = {
    path: NONE,
    command: NONE,
    number: NONE,
    identifier: NONE,
    error: NONE,
  };
  for (const { kind, survival } of judged.values()) {
    const { found, partly, total } = kinds[kind];
    kinds[kind] = {
      found: found + (survival === "found" ? 1 : 0),
      partly: partly + (survival === "partly" ? 1 : 0),
      total: total + 1,
    };
  }
  const missing = [...judged.values()].flatMap(({ kind, text, survival }) =>
    survival === "missing" ? [{ kind, text }] : [],
  );
  return { marks, kinds, missing };
};
