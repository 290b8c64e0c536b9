import { problemOf, type SessionTree } from "@espalier/core";
import type { Comparison, EntryId } from "@espalier/protocol";
import { ArrowLeftRight, Download, GitMerge, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useSession, useShown } from "../../store/session-context.tsx";
import { Button, IconButton } from "../../ui/Button.tsx";
import { TabPanel, Tabs } from "../../ui/Tabs.tsx";
import { useMiddling, useNarrow } from "../../ui/use-media.ts";
import { hourOf } from "../../view/format.ts";
import { useView, ViewContext, type ViewFacts } from "../../view/view-context.tsx";
import { CarryDialog } from "./CarryDialog.tsx";
import styles from "./Compare.module.css";
import {
  entryNumber,
  fileCount,
  forkName,
  LETTERS,
  SIDES,
  type Side,
  sideName,
  summaryCount,
} from "./compare-words.ts";
import { comparisonText, download } from "./export-comparison.ts";
import { FactsTable } from "./FactsTable.tsx";
import { FilesTable } from "./FilesTable.tsx";
import { OutcomeTab } from "./OutcomeTab.tsx";
import { SummariesTab } from "./SummariesTab.tsx";
import { TranscriptTab } from "./TranscriptTab.tsx";
import { type CompareVerbs, useCompareVerbs } from "./use-compare-verbs.ts";
import { useComparison } from "./use-comparison.ts";

interface Named {
  readonly tree: SessionTree;
  readonly comparison: Comparison;
  readonly fork: string;
  readonly names: Readonly<Record<Side, string>>;
}

const useNamed = (comparison: Comparison | undefined): Named | null => {
  const { folders } = useView();
  const tree = useSession((open) => open.session?.tree);
  const version = useSession((open) => open.session?.treeVersion);
  return useMemo(() => {
    if (!tree || !comparison || version === undefined) return null;
    const { fork, a, b } = comparison;
    const names = { a: sideName(tree, fork, a, folders), b: sideName(tree, fork, b, folders) };
    return { tree, comparison, fork: forkName(tree, fork, folders), names };
  }, [tree, comparison, version, folders]);
};

/** Where and when the branches part, in a line. */
const placeOf = ({ tree, comparison: { fork } }: Named): string => {
  if (fork === null) return "two beginnings";
  return [`fork at entry ${entryNumber(tree, fork)}`, hourOf(tree.get(fork)?.time ?? 0)]
    .filter((part) => part !== "")
    .join(", ");
};

const Head = ({
  named,
  verbs,
  onClose,
}: {
  named: Named | null;
  verbs: CompareVerbs;
  onClose: () => void;
}) => {
  const title = useSession((open) => open.session?.tree.name ?? open.id);
  const save = (): void => {
    if (!named) return;
    const { comparison, fork, names } = named;
    const name = `comparison-${comparison.a.end}-${comparison.b.end}.md`;
    download(name, comparisonText(comparison, { session: title, fork, ...names }));
  };
  return (
    <header className={styles.head}>
      <h2 className={styles.title} title={named?.fork}>
        {named ? `Two ways from ${named.fork}` : "Two ways"}
      </h2>
      <span className={styles.headActs}>
        <Button look="quiet" icon={ArrowLeftRight} onClick={verbs.swap}>
          Swap
        </Button>
        <Button icon={Download} disabled={named === null} onClick={save}>
          Export comparison
        </Button>
        <IconButton label="Close" keys="Esc" icon={X} iconSize={16} onClick={onClose} />
      </span>
    </header>
  );
};

const Foot = ({ verbs, comparison }: { verbs: CompareVerbs; comparison: Comparison }) => {
  const [carrying, setCarrying] = useState(false);
  const close = useCallback(() => setCarrying(false), []);
  return (
    <footer className={styles.foot}>
      <span className={styles.footNote}>
        Carry over adds a summary of A to the end of B, so B knows what did not work.
      </span>
      <Button
        size="large"
        icon={GitMerge}
        disabled={comparison.a.entries === 0}
        onClick={() => setCarrying(true)}
      >
        Carry A over to B
      </Button>
      <Button size="large" onClick={() => void verbs.goOn("a")}>
        Continue A
      </Button>
      <Button size="large" look="primary" onClick={() => void verbs.goOn("b")}>
        Continue B
      </Button>
      <CarryDialog
        open={carrying}
        comparison={comparison}
        onCarry={(carried) => verbs.carry(comparison, carried)}
        onClose={close}
      />
    </footer>
  );
};

type Tab = "outcome" | "transcript" | "files" | "summaries";

/** On a narrow page one branch is shown at a time. */
const SideSwitch = ({ side, onChange }: { side: Side; onChange: (side: Side) => void }) => (
  <span className={styles.sideSwitch} role="group" aria-label="Branch that is shown">
    {SIDES.map((each) => (
      <button key={each} type="button" aria-pressed={side === each} onClick={() => onChange(each)}>
        {LETTERS[each]}
      </button>
    ))}
  </span>
);

const Scrolled = ({ children }: { children: ReactNode }) => <div className={styles.scroller}>{children}</div>;

const Body = ({ named }: { named: Named }) => {
  const { show } = useShown();
  const narrow = useNarrow();
  // Facts that are tall scroll with the outcome.
  const tight = useMiddling();
  const [tab, setTab] = useState<Tab>("outcome");
  const [side, setSide] = useState<Side>("a");
  const { comparison, names } = named;
  const { fork, a, b } = comparison;
  const sides = narrow ? [side] : SIDES;
  const facts = (
    <FactsTable
      comparison={comparison}
      names={names}
      place={placeOf(named)}
      clay={fork !== null && named.tree.get(fork)?.type === "compaction"}
    />
  );
  return (
    <>
      {!tight && facts}
      <Tabs<Tab>
        label="Parts of the comparison"
        value={tab}
        onChange={setTab}
        className={styles.tabs}
        tabs={[
          { name: "outcome", title: "Outcome" },
          { name: "transcript", title: "Transcript" },
          { name: "files", title: "Files", count: fileCount(comparison) },
          { name: "summaries", title: "Summaries", count: summaryCount(comparison) },
        ]}
        {...(narrow ? { extra: <SideSwitch side={side} onChange={setSide} /> } : {})}
      >
        <TabPanel name="outcome">
          <Scrolled>
            {tight && facts}
            <OutcomeTab comparison={comparison} sides={sides} />
          </Scrolled>
        </TabPanel>
        <TabPanel name="transcript">
          <TranscriptTab
            key={`${a.end}:${b.end}`}
            comparison={comparison}
            sides={sides}
            onFork={fork === null ? null : () => show(fork)}
          />
        </TabPanel>
        <TabPanel name="files">
          <Scrolled>
            <FilesTable comparison={comparison} sides={sides} />
          </Scrolled>
        </TabPanel>
        <TabPanel name="summaries">
          <Scrolled>
            <SummariesTab comparison={comparison} sides={sides} />
          </Scrolled>
        </TabPanel>
      </Tabs>
    </>
  );
};

/** Items are read here, not worked with: what would move the session's place is left out. */
const useReading = (): ViewFacts => {
  const { folders, blockText, blockImage, read } = useView();
  return useMemo(
    () => ({
      folders,
      ...(blockText ? { blockText } : {}),
      ...(blockImage ? { blockImage } : {}),
      ...(read ? { read } : {}),
      tree: null,
      treeVersion: 0,
      editing: null,
      setEditing: () => undefined,
    }),
    [folders, blockText, blockImage, read],
  );
};

interface CompareStageProps {
  a: EntryId;
  b: EntryId;
  onClose: () => void;
  /** Puts the focus where the next message is written. */
  onWrite: () => void;
}

/** Two branches of a session beside each other. Esc closes. */
export const CompareStage = ({ a, b, onClose, onWrite }: CompareStageProps) => {
  const answer = useComparison(a, b);
  const named = useNamed(answer.data);
  const verbs = useCompareVerbs(answer.data, onWrite);
  const reading = useReading();
  const region = useRef<HTMLElement>(null);
  useEffect(() => region.current?.focus({ preventScroll: true }), []);
  const onKeyDown = (event: KeyboardEvent): void => {
    // What opened over the page takes its own Esc, wherever it was drawn from.
    const inside = event.target instanceof Node && region.current?.contains(event.target);
    if (event.key !== "Escape" || event.defaultPrevented || !inside) return;
    event.preventDefault();
    onClose();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Esc closes, as the button does
    <section
      ref={region}
      className={styles.compare}
      aria-label="Compare branches"
      aria-busy={answer.isFetching}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <ViewContext value={reading}>
        <Head named={named} verbs={verbs} onClose={onClose} />
        {named && <Body named={named} />}
        {!named && answer.error && (
          <div className={styles.failed} role="alert">
            <p>{problemOf(answer.error).message}</p>
            <Button onClick={() => void answer.refetch()}>Try again</Button>
            <Button onClick={onClose}>Back</Button>
          </div>
        )}
        {!named && !answer.error && <div className={styles.waiting} />}
        {named && <Foot verbs={verbs} comparison={named.comparison} />}
      </ViewContext>
    </section>
  );
};
