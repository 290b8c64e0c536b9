import { useStore } from "zustand";
import { MapStage } from "../features/map/MapStage.tsx";
import { useSession } from "../store/session-context.tsx";
import { uiStore } from "../store/ui-store.ts";
import { useNarrow } from "../ui/use-media.ts";
import { fittingGrain } from "../view/tree/folded.ts";
import { FilterMenu, GrainMenu } from "../view/tree/TreeMenus.tsx";
import styles from "./Page.module.css";
import { ViewSwitch } from "./ViewSwitch.tsx";

/** The stage as a map, with what it can be set to. */
const MapPage = () => {
  const narrow = useNarrow();
  const tree = useSession((open) => open.session?.tree);
  const grain = useStore(uiStore, (state) => state.grain);
  const filter = useStore(uiStore, (state) => state.treeFilter);
  return (
    <>
      <div className={styles.modes}>
        {!narrow && <ViewSwitch />}
        <span className={styles.grow} />
        {!narrow && <span className={styles.modesHint}>Arrow keys walk the tree</span>}
        <GrainMenu grain={grain ?? (tree ? fittingGrain(tree) : "runs")} worded />
        <FilterMenu filter={filter} worded />
      </div>
      <MapStage />
    </>
  );
};

export default MapPage;
