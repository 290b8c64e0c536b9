import type { PaletteAction } from "../features/palette/Palette.tsx";
import { toggleTheme, uiStore } from "../store/ui-store.ts";

/** What the palette offers on every page. */
export const globalActions = (go: (path: string) => void): PaletteAction[] => [
  { name: "All sessions", keys: "g s", run: () => go("/") },
  { name: "Connect a model", run: () => go("/?connect") },
  { name: "Light or dark", run: toggleTheme },
  { name: "Keys and help", keys: "?", run: () => uiStore.setState({ help: true }) },
];
