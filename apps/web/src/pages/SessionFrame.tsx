import { GitBranch, Map as MapIcon, MessageSquare } from "lucide-react";
import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { useStore } from "zustand";
import { Composer } from "../features/composer/Composer.tsx";
import type { FieldHandle } from "../features/composer/MessageField.tsx";
import { Inspector } from "../features/inspector/Inspector.tsx";
import { RunAnnouncer } from "../features/strips/RunAnnouncer.tsx";
import { SessionStrips, StreamStrip } from "../features/strips/Strips.tsx";
import { LabelDialog } from "../features/topbar/LabelDialog.tsx";
import { WhereLine } from "../features/topbar/Place.tsx";
import { NarrowTopBar, TopBar, useTitle } from "../features/topbar/TopBar.tsx";
import { Transcript } from "../features/transcript/Transcript.tsx";
import { useSession, useShown } from "../store/session-context.tsx";
import type { StageMode } from "../store/stage-mode.ts";
import { keepUi, uiStore } from "../store/ui-store.ts";
import { Sheet } from "../ui/Dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { Splitter } from "../ui/Splitter.tsx";
import { useMiddling, useNarrow } from "../ui/use-media.ts";
import { FoldsContext } from "../view/use-folded.ts";
import { ViewContext } from "../view/view-context.tsx";
import { EmptySession } from "./EmptySession.tsx";
import { globalActions } from "./global-actions.ts";
import { Overlays } from "./overlays.tsx";
import styles from "./Page.module.css";
import { Rail } from "./Rail.tsx";
import { useGlobalKeys } from "./use-global-keys.ts";
import { useSessionControls } from "./use-session-controls.ts";
import { useViewFacts } from "./use-view-facts.ts";
import { ViewSwitch } from "./ViewSwitch.tsx";

const useDocumentTitle = (): void => {
  const title = useTitle();
  useEffect(() => {
    document.title = title === "" ? "Espalier" : `${title} \u00b7 Espalier`;
  }, [title]);
};

const MoveDialogs = lazy(() => import("../features/topbar/MoveDialogs.tsx"));
const MapPage = lazy(() => import("./MapPage.tsx"));
const ComparePage = lazy(() => import("./ComparePage.tsx"));
const CompactionPage = lazy(() => import("./CompactionPage.tsx"));

/** A page in the transcript's place. */
const Framed = ({ children }: { children: ReactNode }) => (
  <div className={styles.stage}>
    <StreamStrip />
    <Suspense fallback={<div className={styles.loading} />}>{children}</Suspense>
    <RunAnnouncer />
  </div>
);

/** What the stage showed before branches were compared: closing goes back there. */
const useBefore = (mode: StageMode) => {
  const before = useRef<StageMode>({ kind: "talk", at: null });
  useEffect(() => {
    if (mode.kind !== "compare") before.current = mode;
  }, [mode]);
  return before;
};

const Stage = ({ field, loading }: { field: RefObject<FieldHandle | null>; loading: boolean }) => {
  const { mode, showMode } = useShown();
  const before = useBefore(mode);
  if (loading) return <Talk field={field} loading />;
  switch (mode.kind) {
    case "talk":
      return <Talk field={field} loading={false} />;
    case "map":
      return (
        <Framed>
          <MapPage />
        </Framed>
      );
    case "compaction":
    case "preview":
      return (
        <Framed>
          <CompactionPage id={mode.kind === "preview" ? null : mode.id} />
        </Framed>
      );
    case "compare":
      return (
        <Framed>
          <ComparePage a={mode.a} b={mode.b} field={field} onClose={() => showMode(before.current)} />
        </Framed>
      );
  }
};

const Talk = ({ field, loading }: { field: RefObject<FieldHandle | null>; loading: boolean }) => {
  const { place } = useSessionControls(field);
  const narrow = useNarrow();
  const empty = useSession((open) => open.phase === "ready" && open.view.keys.length === 0);
  return (
    <div className={styles.stage}>
      {!narrow && (
        <div className={styles.whereRow}>
          <WhereLine />
          <ViewSwitch />
        </div>
      )}
      <StreamStrip />
      <SessionStrips />
      {loading ? <div className={styles.loading} /> : empty ? <EmptySession /> : <Transcript />}
      {!loading && <Composer place={place} field={field} />}
      <RunAnnouncer />
    </div>
  );
};

/** The inspector over the page, where it has no room beside it. */
const InspectorSheet = () => {
  const sheet = useStore(uiStore, (state) => state.sheet);
  return (
    <Sheet
      open={sheet === "inspector"}
      onClose={() => uiStore.setState({ sheet: null })}
      title="Inspector"
      side="right"
    >
      <Inspector />
    </Sheet>
  );
};

const Wide = ({ field, loading }: { field: RefObject<FieldHandle | null>; loading: boolean }) => {
  const rail = useStore(uiStore, (state) => state.rail);
  const railOpen = useStore(uiStore, (state) => state.railOpen);
  const width = useStore(uiStore, (state) => state.inspector);
  const inspectorOpen = useStore(uiStore, (state) => state.inspectorOpen);
  const middling = useMiddling();
  const { newSession, clone } = useSessionControls(field);
  const { mode } = useShown();
  // The map, comparing and a compaction take the inspector's room.
  const inspector = inspectorOpen && !middling && mode.kind === "talk";
  const columns = [railOpen ? `${rail}px` : "0", "minmax(0, 1fr)", inspector ? `${width}px` : "0"];
  return (
    <div
      className={styles.app}
      style={{
        gridTemplateColumns: columns.join(" "),
        ["--rail-now" as string]: `${railOpen ? rail : 120}px`,
      }}
    >
      <div className={styles.barRow}>
        <TopBar onNew={newSession} onClone={clone} />
      </div>
      {railOpen && (
        <aside className={styles.rail} aria-label="Rail">
          <Rail />
        </aside>
      )}
      <main className={styles.middle}>
        {railOpen && (
          <Splitter
            label="Width of the rail"
            value={rail}
            min={240}
            max={480}
            panel="left"
            onChange={(next) => keepUi({ rail: next })}
          />
        )}
        <Stage field={field} loading={loading} />
        {inspector && (
          <span className={styles.rightSplitter}>
            <Splitter
              label="Width of the inspector"
              value={width}
              min={320}
              max={560}
              panel="right"
              onChange={(next) => keepUi({ inspector: next })}
            />
          </span>
        )}
      </main>
      {inspector && (
        <aside className={styles.side} aria-label="Inspector">
          <Inspector />
        </aside>
      )}
      {middling && <InspectorSheet />}
    </div>
  );
};

const PLACES = [
  { name: "talk", title: "Talk", icon: MessageSquare },
  { name: "tree", title: "Tree", icon: GitBranch },
  { name: "map", title: "Map", icon: MapIcon },
] as const;

/** On a narrow page the tree stands in place of the stage; the others are what the stage shows. */
const usePlaces = () => {
  const { mode, showMode } = useShown();
  const place = useStore(uiStore, (state) => state.place);
  const at = "at" in mode ? mode.at : null;
  const current = place === "tree" ? "tree" : mode.kind === "map" ? "map" : "talk";
  const go = (name: (typeof PLACES)[number]["name"]): void => {
    uiStore.setState({ place: name === "tree" ? "tree" : "talk" });
    if (name !== "tree" && mode.kind !== name) showMode({ kind: name, at });
  };
  return { current, go };
};

const Narrow = ({ field, loading }: { field: RefObject<FieldHandle | null>; loading: boolean }) => {
  const { current, go } = usePlaces();
  const { newSession, clone } = useSessionControls(field);
  return (
    <div className={styles.narrow}>
      <NarrowTopBar onNew={newSession} onClone={clone} />
      <main className={styles.stage}>
        {current !== "tree" ? (
          <Stage field={field} loading={loading} />
        ) : (
          <Rail onOpened={() => uiStore.setState({ place: "talk" })} />
        )}
      </main>
      <InspectorSheet />
      <nav className={styles.places} aria-label="Places">
        {PLACES.map((each) => (
          <button
            key={each.name}
            type="button"
            aria-current={current === each.name ? "page" : undefined}
            onClick={() => go(each.name)}
          >
            <Icon of={each.icon} size={18} />
            {each.title}
          </button>
        ))}
      </nav>
    </div>
  );
};

/** A session's page: bars, rail, transcript and composer, inspector. */
export const SessionFrame = ({ loading }: { loading: boolean }) => {
  const field = useRef<FieldHandle>(null);
  const narrow = useNarrow();
  const [, go] = useLocation();
  const facts = useViewFacts(field);
  const { keys, paletteActions } = useSessionControls(field);
  const folds = useStore(uiStore, (state) => state.folds);
  useGlobalKeys(keys);
  useDocumentTitle();
  return (
    <ViewContext value={facts}>
      <FoldsContext value={folds}>
        {narrow ? <Narrow field={field} loading={loading} /> : <Wide field={field} loading={loading} />}
      </FoldsContext>
      <LabelDialog />
      <Suspense fallback={null}>
        <MoveDialogs />
      </Suspense>
      <Overlays actions={[...paletteActions, ...globalActions(go)]} />
    </ViewContext>
  );
};
