import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

/** What an icon is drawn with: a lucide icon or one of our own glyphs. */
export type Glyph = LucideIcon | ((props: GlyphProps) => ReactNode);

interface GlyphProps {
  size?: number;
  strokeWidth?: number;
  className?: string;
}

interface IconProps {
  of: Glyph;
  /** Pixels: 16, or 14, 12 and 10 beside small text. */
  size?: number;
  strokeWidth?: number;
  className?: string | undefined;
}

/** A drawing beside words; it has no name of its own, so the words or the button must say what it means. */
export const Icon = ({ of: Drawn, size = 16, strokeWidth = 1.5, className }: IconProps) => (
  <Drawn size={size} strokeWidth={strokeWidth} {...(className === undefined ? {} : { className })} />
);

const own =
  (paths: readonly string[]) =>
  ({ size = 24, strokeWidth = 1.5, className }: GlyphProps) => (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={strokeWidth}
      strokeLinecap="round"
      strokeLinejoin="round"
      className={className}
    >
      {paths.map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );

/** The product's mark: a tree trained flat along wires. */
export const EspalierGlyph = own([
  "M12 22V3",
  "M12 18H8a4 4 0 0 1-4-4v-3",
  "M12 18h4a4 4 0 0 0 4-4v-3",
  "M12 12h-1a3 3 0 0 1-3-3V6",
  "M12 12h1a3 3 0 0 0 3-3V6",
]);
/** Compaction: two cuts through a wire. */
export const NotchGlyph = own(["M12 2v5", "M12 17v5", "M6 13 18 7", "M6 17 18 11"]);
/** Branch summary: a folded leaf. */
export const FoldedLeafGlyph = own(["M6 3h8l4 4v14H6z", "M14 3v4h4", "M9 13h6M9 17h4"]);
