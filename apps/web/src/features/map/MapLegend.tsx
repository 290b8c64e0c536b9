import { Check, Circle, CircleSlash, Flag, X } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { useSession } from "../../store/session-context.tsx";
import { uiStore } from "../../store/ui-store.ts";
import { useFolders } from "../../store/use-folders.ts";
import { Icon } from "../../ui/icons.tsx";
import { count, plural } from "../../view/format.ts";
import { runName } from "../../view/tree/run-name.ts";
import { countEndings } from "../../view/tree/run-sums.ts";
import styles from "./Map.module.css";
import type { MapModel } from "./use-map-model.ts";

const Mark = ({ children, width = 16 }: { children: ReactNode; width?: number }) => (
  <svg width={width} height="14" aria-hidden="true">
    {children}
  </svg>
);

/** The branch that the session's place is on: the name of the last branch before it. */
const branchNow = ({ scene, tip }: MapModel, folders: readonly string[]): string => {
  const { laid, folded } = scene;
  for (let run = tip; run >= 0; run = laid.fold.parent[run] ?? -1) {
    const parent = laid.fold.parent[run] ?? -1;
    if (parent >= 0 && (laid.fold.children[parent] ?? 0) > 1) return runName(folded, run, true, folders);
  }
  return "the trunk";
};

const useCounts = ({ scene, filter }: MapModel) =>
  useMemo(() => {
    const { drawn, fold } = scene.folded;
    let spoken = 0;
    for (const row of drawn.rows) if (row.role === "user") spoken += 1;
    let cuts = 0;
    for (const kind of fold.kind) if (kind === "compaction") cuts += 1;
    const endings = countEndings(scene.folded);
    const named = filter === "labelled" ? drawn.rows.length : scene.folded.tree.labels.size;
    return { spoken, cuts, endings, named, rest: drawn.rows.length - cuts, runs: fold.size.length - cuts };
  }, [scene, filter]);

/** What all the marks mean, told by how many there are of each. */
export const MapLegend = ({ model }: { model: MapModel }) => {
  const folders = useFolders();
  const counts = useCounts(model);
  const name = useSession((open) => open.session?.tree.name);
  const { filter } = model;
  const toggle = (to: "user" | "labelled") =>
    uiStore.setState({ treeFilter: filter === to ? "default" : to });
  const facts: ReactNode[] = [
    <span key="here">
      <Mark width={22}>
        <path d="M0 7H22" className={styles.markPath} />
      </Mark>
      <span className={styles.clip}>
        You are on <b>{branchNow(model, folders)}</b>
      </span>
    </span>,
    <button key="you" type="button" aria-pressed={filter === "user"} onClick={() => toggle("user")}>
      <Mark width={10}>
        <circle cx="5" cy="7" r="4.5" className={styles.markUser} />
      </Mark>
      <span>
        You spoke <b>{count(counts.spoken)}</b> {counts.spoken === 1 ? "time" : "times"}
      </span>
    </button>,
    <span key="runs">
      <Mark width={24}>
        <rect x="1" y="2" width="22" height="10" rx="5" className={styles.markRun} />
      </Mark>
      <span>
        <b>{count(counts.rest)}</b> entries in {plural(counts.runs, "run")}
      </span>
    </span>,
  ];
  if (counts.cuts > 0)
    facts.push(
      <span key="cut">
        <Mark width={12}>
          <path d="M1 12L5 2M7 12L11 2" className={styles.markCut} />
        </Mark>
        <span>
          cut <b>{count(counts.cuts)}</b> {counts.cuts === 1 ? "time" : "times"}
        </span>
      </span>,
    );
  if (counts.named > 0)
    facts.push(
      <button
        key="named"
        type="button"
        aria-pressed={filter === "labelled"}
        onClick={() => toggle("labelled")}
      >
        <Icon of={Flag} size={14} className={styles.leaf} />
        <span>
          <b>{count(counts.named)}</b> {counts.named === 1 ? "place" : "places"} named
        </span>
      </button>,
    );
  const { ok, failed, abandoned, open } = counts.endings;
  const endings = [
    { key: "ok", number: ok, words: "worked", icon: Check, look: styles.leaf },
    { key: "failed", number: failed, words: "failed", icon: X, look: styles.bad },
    { key: "abandoned", number: abandoned, words: "left for good", icon: CircleSlash, look: undefined },
    { key: "open", number: open, words: "left open", icon: Circle, look: undefined },
  ];
  for (const { key, number, words, icon, look } of endings)
    if (number > 0)
      facts.push(
        <span key={key}>
          <Icon of={icon} size={14} className={look} />
          <span>
            <b>{count(number)}</b> {words}
          </span>
        </span>,
      );
  return (
    <div className={styles.legend} role="group" aria-label={name ? `Legend of ${name}` : "Legend"}>
      {facts}
    </div>
  );
};
