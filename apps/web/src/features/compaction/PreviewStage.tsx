import type { PathItem } from "@espalier/protocol";
import { Scissors, X } from "lucide-react";
import { useState } from "react";
import { useShown } from "../../store/session-context.tsx";
import { Button, IconButton } from "../../ui/Button.tsx";
import { count, plural } from "../../view/format.ts";
import styles from "./Compaction.module.css";
import { ItemColumn } from "./ItemColumn.tsx";
import type { Preview } from "./preview-model.ts";
import { usePreview } from "./use-preview.ts";

interface CutProps {
  preview: Preview;
  at: number;
  onMove: (at: number) => void;
}

/** The cut as something that can be moved: only places where no batch is parted are there at all. */
const CutSlider = ({ preview: { cuts, proposed }, at, onMove }: CutProps) => {
  const cut = cuts[at];
  return (
    <div className={styles.slider}>
      <label htmlFor="cut">Where to cut</label>
      <input
        id="cut"
        type="range"
        min={0}
        max={cuts.length - 1}
        value={at}
        list="cuts"
        aria-valuetext={cut && `${count(cut.summarised)} tokens summarised, ${count(cut.kept)} kept`}
        onChange={(event) => onMove(Number(event.target.value))}
      />
      <datalist id="cuts">
        {cuts.length <= 200 && cuts.map(({ firstKept }, index) => <option key={firstKept} value={index} />)}
      </datalist>
      <p className={styles.nothing}>
        {at === proposed ? "This is where it would cut by itself." : "Moved by you."} Arrow keys go batch by
        batch.
      </p>
    </div>
  );
};

const Choice = ({ items, preview }: { items: readonly PathItem[]; preview: Preview }) => {
  const { actions, show } = useShown();
  const { cuts, proposed } = preview;
  const [at, setAt] = useState(proposed < 0 ? cuts.length - 1 : proposed);
  const [instructions, setInstructions] = useState("");
  const cut = cuts[at];
  if (!cut) return <NothingToDo />;
  const compact = async (how: { instructions?: string; extract?: true }): Promise<void> => {
    if (await actions.compactAt(cut.firstKept, how)) show(null);
  };
  const wishes = instructions.trim();
  const summarised = items.slice(0, cut.index);
  const kept = items.slice(cut.index);
  return (
    <section className={styles.stage} aria-label="Compaction inspector">
      <header className={styles.head}>
        <div className={styles.titleRow}>
          <h1>Before compacting</h1>
          <span className={styles.grow} />
          <IconButton label="Close" icon={X} onClick={() => show(null)} />
        </div>
        <p className={styles.facts} role="status">
          <span className={styles.cut}>{count(cut.summarised)} tokens to summarise</span>
          <span>{count(cut.kept)} kept word for word</span>
          <span>{plural(cuts.length, "place")} to cut</span>
        </p>
      </header>
      <div className={styles.columns}>
        <ItemColumn name="Summarised" facts={plural(summarised.length, "item")} items={summarised} />
        <section className={styles.middle} aria-label="Summary">
          <header className={styles.columnHead}>
            <h2>Summary</h2>
          </header>
          <form
            className={styles.form}
            onSubmit={(event) => {
              event.preventDefault();
              void compact(wishes === "" ? {} : { instructions: wishes });
            }}
          >
            <CutSlider preview={preview} at={at} onMove={setAt} />
            <label className={styles.field}>
              What the summary should mind
              <textarea
                className={styles.text}
                rows={5}
                value={instructions}
                onChange={(event) => setInstructions(event.target.value)}
              />
            </label>
            <p className={styles.actions}>
              <Button onClick={() => show(null)}>Cancel</Button>
              <Button onClick={() => void compact({ extract: true })}>Without a model</Button>
              <Button look="primary" type="submit" icon={Scissors}>
                Compact
              </Button>
            </p>
          </form>
        </section>
        <ItemColumn name="Kept" facts={plural(kept.length, "item")} items={kept} />
      </div>
    </section>
  );
};

const NothingToDo = () => {
  const { show } = useShown();
  return (
    <div className={styles.wait} role="status">
      <p>There is nothing yet that could be summarised.</p>
      <Button onClick={() => show(null)}>Back to the transcript</Button>
    </div>
  );
};

/** `?compaction=preview`: what a compaction would put away and keep, with a cut that can be moved. */
export const PreviewStage = () => {
  const loading = usePreview();
  const { show } = useShown();
  switch (loading.kind) {
    case "loading":
      return (
        <div className={styles.wait} role="status">
          Reading the path ...
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
      return <Choice items={loading.items} preview={loading.preview} />;
  }
};
