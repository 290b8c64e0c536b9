import { survivalReport, tokensOfChars } from "@espalier/core";
import type { EntryId, PathItem } from "@espalier/protocol";
import { ArrowRight, ChevronLeft, ChevronRight, Copy, Pencil, RefreshCw, Undo2, X } from "lucide-react";
import { useMemo, useState } from "react";
import { useSession, useShown } from "../../store/session-context.tsx";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { copyText } from "../../view/copy-text.ts";
import { count, plural, timeOfDay } from "../../view/format.ts";
import styles from "./Compaction.module.css";
import { ItemColumn } from "./ItemColumn.tsx";
import { SummaryColumn } from "./SummaryColumn.tsx";
import { EditSummaryDialog, ResummariseDialog } from "./SummaryDialogs.tsx";
import { SurvivalBar } from "./SurvivalBar.tsx";
import { compactionsOn, type LoadedCompaction, useCompaction } from "./use-compaction.ts";

const useTokensOf = (items: readonly PathItem[]): number => {
  const tree = useSession((open) => open.session?.tree);
  return useMemo(
    () =>
      items.reduce((sum, item) => {
        const results =
          item.kind === "step"
            ? item.groups.flatMap((group) => (group.kind === "complete" ? [group.result.entryId] : []))
            : [];
        return [item.id, ...results].reduce((tokens, id) => tokens + (tree?.get(id)?.tokens ?? 0), sum);
      }, 0),
    [items, tree],
  );
};

const groupsOf = (items: readonly PathItem[]): number =>
  items.reduce((sum, item) => sum + (item.kind === "step" ? item.groups.length : 0), 0);

/** The words of an item, to look for in the summary. */
const wordsOf = (item: PathItem): string =>
  JSON.stringify(item.kind === "step" ? [item.entry, item.groups] : item.entry);

/** Before the compaction: a branch of its own beside it. The move can be taken back where it is told. */
const useRestore = (id: EntryId): (() => Promise<void>) => {
  const { actions, show } = useShown();
  const tree = useSession((open) => open.session?.tree);
  return async () => {
    if (await actions.goTo(tree?.get(id)?.parentId ?? null)) show(null);
  };
};

const Head = ({ id, loaded }: { id: EntryId; loaded: LoadedCompaction }) => {
  const { showMode, show } = useShown();
  const tree = useSession((open) => open.session?.tree);
  const leaf = useSession((open) => open.session?.leafId ?? null);
  const all = useMemo(() => (tree ? compactionsOn(tree, id, leaf) : [id]), [tree, id, leaf]);
  const restore = useRestore(id);
  const [dialog, setDialog] = useState<"again" | "edit" | null>(null);
  const at = all.indexOf(id);
  const { entry, kept } = loaded;
  const after = tokensOfChars(entry.summary.length) + useTokensOf(kept);
  const step = (to: number): void => {
    const next = all[to];
    if (next !== undefined) showMode({ kind: "compaction", id: next });
  };
  return (
    <header className={styles.head}>
      <div className={styles.titleRow}>
        <h1>
          Compaction {at + 1} of {all.length}
        </h1>
        <IconButton
          label="Compaction before"
          icon={ChevronLeft}
          disabled={at <= 0}
          onClick={() => step(at - 1)}
        />
        <IconButton
          label="Next compaction"
          icon={ChevronRight}
          disabled={at < 0 || at >= all.length - 1}
          onClick={() => step(at + 1)}
        />
        <span className={styles.grow} />
        <Button icon={Undo2} onClick={() => void restore()}>
          Restore to before
        </Button>
        <Button icon={RefreshCw} onClick={() => setDialog("again")}>
          Re-summarise ...
        </Button>
        <Button icon={Pencil} onClick={() => setDialog("edit")}>
          Edit summary
        </Button>
        <ResummariseDialog id={id} open={dialog === "again"} onClose={() => setDialog(null)} />
        <EditSummaryDialog
          id={id}
          open={dialog === "edit"}
          summary={entry.summary}
          onClose={() => setDialog(null)}
        />
        <IconButton label="Copy the summary" icon={Copy} onClick={() => void copyText(entry.summary)} />
        <IconButton label="Close" icon={X} onClick={() => show(id)} />
      </div>
      <p className={styles.facts}>
        <span className={styles.cut}>
          {count(entry.tokensBefore)} <Icon of={ArrowRight} size={12} /> about {count(after)} tokens
        </span>
        {entry.fromHook === true && <span>made by a plugin</span>}
        {entry.usage && entry.usage.cost.total > 0 && <span>${entry.usage.cost.total.toFixed(2)}</span>}
        <span>{timeOfDay(Date.parse(entry.timestamp))}</span>
      </p>
    </header>
  );
};

const Columns = ({ id, loaded }: { id: EntryId; loaded: LoadedCompaction }) => {
  const { entry, previous, summarised, kept, before, turnStart } = loaded;
  const [chosen, setChosen] = useState<EntryId | null>(null);
  const report = useMemo(() => survivalReport(summarised, entry.summary), [summarised, entry.summary]);
  const item = [...summarised, ...kept].find((each) => each.id === chosen);
  const size = (items: readonly PathItem[]): string =>
    `${plural(items.length, "item")}, ${plural(groupsOf(items), "tool call")}`;
  return (
    <section className={styles.stage} aria-label="Compaction inspector">
      <Head id={id} loaded={loaded} />
      <div className={styles.columns}>
        <ItemColumn
          name="Summarised"
          facts={size(summarised)}
          items={summarised}
          marks={report.marks}
          turnStart={turnStart}
          above={before > 0 && <p className={styles.nothing}>{plural(before, "older item")} not shown.</p>}
          chosen={chosen}
          onChoose={setChosen}
        />
        <SummaryColumn
          summary={entry.summary}
          previous={previous?.summary ?? null}
          lit={item === undefined ? null : wordsOf(item)}
        />
        <ItemColumn name="Kept" facts={size(kept)} items={kept} chosen={chosen} onChoose={setChosen} />
      </div>
      <SurvivalBar id={id} summary={entry.summary} report={report} />
    </section>
  );
};

/** `?compaction=ID`: what a compaction put away, the summary that stands for it, and what it kept. */
export const CompactionStage = ({ id }: { id: EntryId }) => {
  const loading = useCompaction(id);
  const { show } = useShown();
  switch (loading.kind) {
    case "loading":
      return (
        <div className={styles.wait} role="status">
          Reading what was summarised ...
        </div>
      );
    case "failed":
      return (
        <div className={styles.wait} role="alert">
          <p>{loading.problem.message}</p>
          <Button onClick={() => show(null)}>Back to the transcript</Button>
        </div>
      );
    case "ready":
      return <Columns key={id} id={id} loaded={loading.loaded} />;
  }
};
