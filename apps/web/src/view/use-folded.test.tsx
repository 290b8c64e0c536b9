import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { type Folds, FoldsContext, useFolded } from "./use-folded.ts";

const Probe = ({ kind, first }: { kind: keyof Folds | null; first: boolean }) =>
  useFolded(kind, first)[0] ? "open" : "closed";

const shown = (folds: Folds, kind: keyof Folds | null, first: boolean): string =>
  renderToStaticMarkup(
    <FoldsContext value={folds}>
      <Probe kind={kind} first={first} />
    </FoldsContext>,
  );

describe("what is folded", () => {
  const none: Folds = { tools: null, thinking: null };

  it("starts as the item wants it", () => {
    expect(shown(none, "tools", true)).toBe("open");
    expect(shown(none, "thinking", false)).toBe("closed");
  });

  it("follows a wish for its own kind and no other", () => {
    const folds: Folds = { tools: { open: false, turn: 2 }, thinking: { open: true, turn: 1 } };
    expect(shown(folds, "tools", true)).toBe("closed");
    expect(shown(folds, "thinking", false)).toBe("open");
    expect(shown(folds, null, true)).toBe("open");
  });
});
