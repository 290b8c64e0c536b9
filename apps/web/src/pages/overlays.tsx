import { lazy, Suspense } from "react";
import { useStore } from "zustand";
import type { PaletteAction } from "../features/palette/Palette.tsx";
import { uiStore } from "../store/ui-store.ts";

const Palette = lazy(async () => ({ default: (await import("../features/palette/Palette.tsx")).Palette }));
const HelpDialog = lazy(async () => ({
  default: (await import("../features/help/HelpDialog.tsx")).HelpDialog,
}));

/** What lies over a page when it is asked for; fetched then. */
export const Overlays = ({ actions }: { actions: readonly PaletteAction[] }) => {
  const palette = useStore(uiStore, (state) => state.palette);
  const help = useStore(uiStore, (state) => state.help);
  return (
    <Suspense fallback={null}>
      {palette && <Palette actions={actions} />}
      {help && <HelpDialog />}
    </Suspense>
  );
};
