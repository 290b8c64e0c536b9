import type { EntryId } from "@espalier/protocol";
import { Check, Circle, CircleSlash, CornerDownRight, GitBranch, GitCompare, X } from "lucide-react";
import { type RefObject, useLayoutEffect, useRef } from "react";
import { useFolders } from "../../store/use-folders.ts";
import { type Glyph, Icon } from "../../ui/icons.tsx";
import { count, fineCount, hourOf, plural, shownPath, timeOfDay } from "../../view/format.ts";
import { runName } from "../../view/tree/run-name.ts";
import { type Ending, endingOf, factsOfRun, type RunFacts } from "../../view/tree/run-sums.ts";
import { endOf, tellingRow } from "../../view/tree/run-words.ts";
import type { NodeVerbs } from "../../view/tree/use-node-verbs.ts";
import { pitchOf, screenX, type View } from "./camera.ts";
import styles from "./Map.module.css";
import type { CameraStore } from "./map-camera.ts";
import type { MapModel } from "./use-map-model.ts";

const ENDINGS: Readonly<Record<Ending, readonly [words: string, icon: Glyph]>> = {
  ok: ["worked", Check],
  failed: ["failed", X],
  abandoned: ["left for good", CircleSlash],
  open: ["left open", Circle],
};

const timesOf = ({ from, until }: RunFacts): string => {
  if (from === 0) return "";
  const [start, end] = [timeOfDay(from), hourOf(until)];
  return hourOf(from) === end || end === "" ? start : `${start} to ${end}`;
};

const WIDTH = 336;

/** Puts the card under its run, or over it where there is no room. */
const place = (card: HTMLElement, { scene }: MapModel, view: View, run: number): void => {
  const { laid } = scene;
  const width = Math.min(WIDTH, view.width - 16);
  const height = card.offsetHeight;
  const x = screenX(view, laid.x[run] ?? 0) - 20;
  const y = view.y + (laid.lane[run] ?? 0) * pitchOf(scene, view);
  const below = y + 30 + height < view.height - 8;
  const left = Math.max(8, Math.min(view.width - width - 8, x));
  const top = below ? y + 30 : Math.max(8, y - 44 - height);
  card.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
};

/** The card's element, which follows its run without being drawn anew while the map moves. */
const usePlaced = (model: MapModel, camera: CameraStore, run: number): RefObject<HTMLDivElement | null> => {
  const card = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const follow = (): void => {
      const { view } = camera.getState();
      if (view && card.current) place(card.current, model, view, run);
    };
    follow();
    return camera.subscribe(follow);
  }, [model, camera, run]);
  return card;
};

const Facts = ({ facts, folders }: { facts: RunFacts; folders: readonly string[] }) => (
  <>
    <p className={styles.facts}>
      {timesOf(facts) !== "" && <span>{timesOf(facts)}</span>}
      <span>{plural(facts.entries, "entry", "entries")}</span>
      <span>{fineCount(facts.tokens)} tokens</span>
      {facts.cost > 0 && <span>${facts.cost < 0.01 ? facts.cost.toFixed(4) : facts.cost.toFixed(2)}</span>}
      {facts.failed > 0 && <span className={styles.bad}>{count(facts.failed)} failed</span>}
    </p>
    <p className={styles.facts} title={facts.files.join("\n")}>
      {facts.files.length === 0
        ? "no file touched"
        : `${facts.files
            .slice(0, 3)
            .map((file) => shownPath(file, folders))
            .join(", ")}${facts.files.length > 3 ? `, ${facts.files.length - 3} more` : ""}`}
    </p>
  </>
);

interface MapCardProps {
  model: MapModel;
  camera: CameraStore;
  run: number;
  verbs: NodeVerbs;
  onEnter: () => void;
  onLeave: () => void;
}

/** What a run holds and how it ended, and what can be done with it. */
export const MapCard = ({ model, camera, run, verbs, onEnter, onLeave }: MapCardProps) => {
  const card = usePlaced(model, camera, run);
  const folders = useFolders();
  const { folded, laid } = model.scene;
  const entry = endOf(folded, run) as EntryId;
  const name = runName(folded, run, laid.head[run] === 1 && laid.fold.parent[run] !== -1, folders);
  const line = tellingRow(folded, run)?.line ?? "";
  const [words, icon] = ENDINGS[endingOf(folded, run)];
  const marked = model.marked.indexOf(run);
  const other = model.marked.find((each) => each !== run);
  const compare = (): void => {
    const b = other === undefined ? null : endOf(folded, other);
    if (b === null) verbs.mark(entry);
    else verbs.compare(b, entry);
  };
  return (
    <div
      ref={card}
      className={styles.card}
      role="group"
      aria-label={name}
      onPointerEnter={onEnter}
      onPointerLeave={onLeave}
    >
      <div className={styles.inside}>
        <div className={styles.head}>
          <button
            type="button"
            className={styles.title}
            title="Read in the transcript"
            onClick={() => verbs.read(entry)}
          >
            {name}
          </button>
          {laid.fold.children[run] === 0 && run !== model.tip && (
            <span className={styles.ending}>
              <Icon of={icon} size={12} />
              {words}
            </span>
          )}
          {run === model.tip && <span className={styles.ending}>you are here</span>}
        </div>
        {line !== "" && line !== name && <p className={styles.line}>{line}</p>}
        <Facts facts={factsOfRun(folded, run)} folders={folders} />
      </div>
      <footer>
        <button type="button" onClick={() => verbs.goHere(entry)}>
          <Icon of={CornerDownRight} size={14} />
          Go here
        </button>
        <button type="button" onClick={() => verbs.branchFrom(entry)}>
          <Icon of={GitBranch} size={14} />
          Branch here
        </button>
        <button type="button" aria-pressed={marked >= 0} onClick={compare}>
          <Icon of={GitCompare} size={14} />
          {marked >= 0 && other === undefined ? `Marked ${"AB"[marked] ?? ""}` : "Compare"}
        </button>
      </footer>
    </div>
  );
};

/** How the run in hand is said, where nothing is seen. */
export const useSpoken = (model: MapModel): string => {
  const folders = useFolders();
  const { folded, laid } = model.scene;
  const run = model.chosen;
  if (run < 0) return "";
  const branch = laid.head[run] === 1 && laid.fold.parent[run] !== -1;
  const mark = model.marked.indexOf(run);
  return [
    runName(folded, run, branch, folders),
    branch && "branch",
    plural(laid.fold.size[run] ?? 0, "entry", "entries"),
    laid.onPath[run] === 1 && "on the path",
    (laid.fold.children[run] ?? 0) > 1 && `fork of ${laid.fold.children[run]}`,
    laid.fold.children[run] === 0 && run !== model.tip && ENDINGS[endingOf(folded, run)][0],
    run === model.tip && "you are here",
    mark >= 0 && `marked ${"AB"[mark] ?? ""}`,
  ]
    .filter(Boolean)
    .join(", ");
};
