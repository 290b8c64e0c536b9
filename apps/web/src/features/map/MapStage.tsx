import type { EntryId } from "@espalier/protocol";
import { Maximize, Minus, Plus } from "lucide-react";
import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";
import { useStore } from "zustand";
import { toggleMark, uiStore } from "../../store/ui-store.ts";
import { Icon } from "../../ui/icons.tsx";
import { NodeMenu, type NodeMenuAt } from "../../view/tree/NodeMenu.tsx";
import { endOf, firstRowOf } from "../../view/tree/run-words.ts";
import { type NodeVerbs, useNodeVerbs } from "../../view/tree/use-node-verbs.ts";
import { fit, panBy, reveal, runUnder, zoomAt } from "./camera.ts";
import styles from "./Map.module.css";
import { LiveTip, MapCanvas, usePalette } from "./MapCanvas.tsx";
import { MapCard, useSpoken } from "./MapCard.tsx";
import { MapLegend } from "./MapLegend.tsx";
import { Minimap } from "./Minimap.tsx";
import { type CameraStore, makeCamera, moveCamera, resizeCamera } from "./map-camera.ts";
import { walk } from "./map-walk.ts";
import { type MapModel, useMapModel } from "./use-map-model.ts";
import { useMapPointer } from "./use-map-pointer.ts";

/** Moves of one press of a key. */
const STEP = 80;
const CLOSER = 1.25;
/** The card waits a moment before it comes and before it goes, ms. */
const CARD_MS = 220;

const PANS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [STEP, 0],
  ArrowRight: [-STEP, 0],
  ArrowUp: [0, STEP],
  ArrowDown: [0, -STEP],
};

const zoomMiddle = (model: MapModel, camera: CameraStore, factor: number): void =>
  moveCamera(camera, (view) => zoomAt(model.scene, view, factor, view.width / 2, view.height / 2));

const fitAll = (model: MapModel, camera: CameraStore): void =>
  moveCamera(camera, (view) => fit(model.scene, view.width, view.height));

const isTouch = (event: Event): boolean => event instanceof PointerEvent && event.pointerType === "touch";

/** The run whose card is shown: the one in hand, or the one under the pointer. */
const useCard = () => {
  const [hovered, setHovered] = useState(-1);
  const [shown, setShown] = useState<{ readonly run: number; readonly entry: EntryId | null } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const later = (run: number, model: MapModel): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => show(run, model), CARD_MS);
  };
  const show = (run: number, model: MapModel): void => {
    clearTimeout(timer.current);
    setShown(run < 0 ? null : { run, entry: firstRowOf(model.scene.folded, run)?.id ?? null });
  };
  const keep = (): void => clearTimeout(timer.current);
  return { hovered, setHovered, shown, show, later, keep };
};

const useKeys = (
  model: MapModel,
  camera: CameraStore,
  verbs: NodeVerbs,
  choose: (run: number) => void,
  close: () => boolean,
): ((event: KeyboardEvent) => void) => {
  const keyOf = (event: KeyboardEvent): (() => void) | null => {
    const { scene, chosen } = model;
    const entry = chosen < 0 ? null : endOf(scene.folded, chosen);
    if (event.shiftKey && PANS[event.key]) {
      const [dx, dy] = PANS[event.key] ?? [0, 0];
      return () => moveCamera(camera, (view) => panBy(scene, view, dx, dy));
    }
    switch (event.key) {
      case "+":
      case "=":
        return () => zoomMiddle(model, camera, CLOSER);
      case "-":
      case "_":
        return () => zoomMiddle(model, camera, 1 / CLOSER);
      case "0":
        return () => fitAll(model, camera);
      case "Enter":
        return entry === null ? null : () => verbs.goHere(entry);
      case " ":
        return entry === null ? null : () => toggleMark(entry);
      case "b":
        return entry === null ? null : () => verbs.branchFrom(entry);
      case "l":
        return entry === null ? null : () => verbs.label(entry);
      case "c":
        return verbs.compareMarked;
      case "Escape":
        return close() ? () => undefined : null;
      default: {
        const next = walk(scene, chosen, event.key);
        return next < 0 ? null : () => choose(next);
      }
    }
  };
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const act = keyOf(event);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
};

/** Watches the size of the stage. */
const useSize = (model: MapModel, camera: CameraStore) => {
  const stage = useRef<HTMLDivElement>(null);
  const resized = useEffectEvent((width: number, height: number) => {
    const around = model.chosen >= 0 ? model.chosen : model.tip;
    resizeCamera(camera, model.scene, around, width, height);
  });
  useEffect(() => {
    if (!stage.current) return;
    const watcher = new ResizeObserver(([entry]) => {
      if (entry) resized(entry.contentRect.width, entry.contentRect.height);
    });
    watcher.observe(stage.current);
    return () => watcher.disconnect();
  }, []);
  return stage;
};

/** Brings what was taken in hand elsewhere into sight. */
const useReveal = (model: MapModel, camera: CameraStore, stage: RefObject<HTMLElement | null>): void => {
  const { chosen } = model;
  const reached = useEffectEvent((run: number): void => {
    if (run >= 0 && !stage.current?.contains(document.activeElement))
      moveCamera(camera, (view) => reveal(model.scene, view, run));
  });
  // What is read moves the fallback too; only what is in hand is brought into sight.
  const inHand = useStore(uiStore, (state) => state.chosen);
  useEffect(() => {
    if (inHand !== null) reached(chosen);
  }, [inHand, chosen]);
};

const Zoom = ({ model, camera }: { model: MapModel; camera: CameraStore }) => (
  <div className={styles.zoom}>
    <button type="button" aria-label="Closer" onClick={() => zoomMiddle(model, camera, CLOSER)}>
      <Icon of={Plus} size={14} />
    </button>
    <button type="button" aria-label="Farther" onClick={() => zoomMiddle(model, camera, 1 / CLOSER)}>
      <Icon of={Minus} size={14} />
    </button>
    <button type="button" aria-label="All of it" onClick={() => fitAll(model, camera)}>
      <Icon of={Maximize} size={14} />
    </button>
  </div>
);

const Drawn = ({ model }: { model: MapModel }) => {
  const [camera] = useState(makeCamera);
  const stage = useSize(model, camera);
  useReveal(model, camera, stage);
  const palette = usePalette(stage);
  const verbs = useNodeVerbs();
  const card = useCard();
  const [menu, setMenu] = useState<NodeMenuAt | null>(null);
  const spoken = useSpoken(model);
  const { scene } = model;
  const choose = (run: number): void => {
    uiStore.setState({ chosen: firstRowOf(scene.folded, run)?.id ?? null });
    card.show(run, model);
    moveCamera(camera, (view) => reveal(scene, view, run));
  };
  const withEnd = (run: number, act: (entry: EntryId) => void): void => {
    const entry = endOf(scene.folded, run);
    if (entry !== null) act(entry);
  };
  const runAt = (event: MouseEvent<HTMLElement>): number => {
    const box = event.currentTarget.getBoundingClientRect();
    const { view } = camera.getState();
    return view ? runUnder(scene, view, event.clientX - box.left, event.clientY - box.top, 5) : -1;
  };
  const { drag, handlers } = useMapPointer(stage, scene, camera, {
    onClick: (run) => (run < 0 ? card.show(-1, model) : choose(run)),
    onHover: (run) => {
      if (run === card.hovered) return;
      card.setHovered(run);
      card.later(run, model);
    },
    onLongPress: (run) => withEnd(run, verbs.branchFrom),
    onLink: (from, to) => withEnd(from, (a) => withEnd(to, (b) => verbs.compare(a, b))),
  });
  const onKeyDown = useKeys(model, camera, verbs, choose, () => {
    const open = card.shown !== null;
    card.show(-1, model);
    return open;
  });
  // Runs may have other numbers after an entry has come: the card follows the entry.
  const shown = card.shown === null ? -1 : model.runOf(card.shown.entry);
  return (
    <div className={styles.stage}>
      <div
        ref={stage}
        className={styles.map}
        role="application"
        aria-label="Session map"
        aria-roledescription="map"
        aria-describedby="map-chosen"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- an application takes the focus itself
        tabIndex={0}
        data-map=""
        onKeyDown={onKeyDown}
        onContextMenu={(event) => {
          event.preventDefault();
          // A finger that rests branches: the menu that some browsers ask for then would come on top.
          if (isTouch(event.nativeEvent)) return;
          withEnd(runAt(event), (entry) => setMenu({ entry, x: event.clientX, y: event.clientY }));
        }}
        onDoubleClick={(event) => withEnd(runAt(event), verbs.read)}
        onPointerLeave={() => card.hovered >= 0 && (card.setHovered(-1), card.later(-1, model))}
        {...handlers}
      >
        <MapCanvas model={model} camera={camera} palette={palette} hovered={card.hovered} drag={drag} />
        <LiveTip model={model} camera={camera} />
      </div>
      <p id="map-chosen" className="visually-hidden" role="status">
        {spoken}
      </p>
      {shown >= 0 && drag === null && (
        <MapCard
          key={shown}
          model={model}
          camera={camera}
          run={shown}
          verbs={verbs}
          onEnter={card.keep}
          onLeave={() => card.later(-1, model)}
        />
      )}
      <Zoom model={model} camera={camera} />
      <Minimap scene={scene} camera={camera} palette={palette} />
      <NodeMenu
        at={menu}
        onClose={() => {
          setMenu(null);
          stage.current?.focus();
        }}
      />
    </div>
  );
};

/** The session's tree as a map: time to the right, each branch on a wire of its own. */
export const MapStage = () => {
  const model = useMapModel();
  if (!model) return <div className={styles.stage} />;
  if (model.scene.laid.x.length === 0)
    return (
      <p className={styles.nothing}>
        {model.filter === "default" ? "Nothing has been said yet." : "The filter hides every entry."}
      </p>
    );
  return (
    <>
      <Drawn model={model} />
      <MapLegend model={model} />
    </>
  );
};
