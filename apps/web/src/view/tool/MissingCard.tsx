import { toolKey } from "@espalier/core";
import type { Approval, ToolGroup, ToolProgress } from "@espalier/protocol";
import { TriangleAlert } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button, LinkButton } from "../../ui/Button.tsx";
import { Ansi } from "../ansi/Ansi.tsx";
import { copyText } from "../copy-text.ts";
import { clock, count } from "../format.ts";
import { useLive, useView } from "../view-context.tsx";
import { CallBody } from "./CallBody.tsx";
import styles from "./Card.module.css";
import { CardBody, CardFrame, CardNote } from "./CardFrame.tsx";
import { kindOfTool, TOOL_ICONS } from "./tool-look.ts";
import { subjectOf } from "./tool-text.ts";
import { useNextFocus } from "./use-next-focus.ts";

type MissingGroup = Extract<ToolGroup, { kind: "missing_results" }>;

interface MissingCardProps {
  group: MissingGroup;
  batch: { readonly total: number; readonly complete: number };
}

/** A call without a result: it runs now, waits for a person, or never came back. */
export const MissingCard = ({ group, batch }: MissingCardProps) => {
  const { tools, approvals, openStep } = useLive();
  const { entryId, index } = group.use;
  const approval = approvals.find((known) => known.entryId === entryId && known.index === index);
  if (approval) return <WaitingCard group={group} approval={approval} />;
  const progress = tools.get(toolKey(entryId, index));
  if (progress) return <RunningCard group={group} progress={progress} />;
  return openStep === entryId ? <ComingCard group={group} /> : <LostCard group={group} batch={batch} />;
};

/** Declared, and its turn has not come. */
const ComingCard = ({ group }: { group: MissingGroup }) => {
  const { folders } = useView();
  const { call } = group.use;
  return (
    <CardFrame
      variant="complete"
      icon={TOOL_ICONS[kindOfTool(call.name)]}
      name={call.name}
      subject={subjectOf(call, folders)}
      open={false}
      result={<span>waits for its turn</span>}
    />
  );
};

const LostCard = ({ group, batch }: MissingCardProps) => {
  const { folders, read, runAgain } = useView();
  const [open, setOpen] = useState(false);
  const { call } = group.use;
  const { elsewhere } = group;
  return (
    <CardFrame
      variant="missing_results"
      icon={TriangleAlert}
      name={call.name}
      subject={subjectOf(call, folders)}
      open={open}
      onToggle={() => setOpen(!open)}
      result={
        <span className={styles.amber}>
          no result
          {batch.total > 1 && (
            <span className={styles.wide}>
              , {batch.complete} of {batch.total} came back
            </span>
          )}
        </span>
      }
      foot={
        <CardNote>
          <span>
            {elsewhere === undefined
              ? "The run ended before this call returned."
              : "The result of this call is on another branch."}
          </span>
          <span className={styles.grow} />
          {elsewhere !== undefined && read && (
            <LinkButton onClick={() => read(elsewhere)}>Show result</LinkButton>
          )}
          {runAgain && <LinkButton onClick={() => runAgain(group.use)}>Run again on a new branch</LinkButton>}
          <LinkButton
            onClick={() =>
              void copyText(JSON.stringify({ name: call.name, arguments: call.arguments }, null, 2))
            }
          >
            Copy call
          </LinkButton>
        </CardNote>
      }
    >
      <CallBody call={call} result={null} />
    </CardFrame>
  );
};

const useElapsed = (since: number): number => {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, now - since);
};

const RunningCard = ({ group, progress }: { group: MissingGroup; progress: ToolProgress }) => {
  const { folders } = useView();
  const [open, setOpen] = useState(true);
  const elapsed = useElapsed(progress.startedAt);
  const { call } = group.use;
  const kind = kindOfTool(call.name);
  return (
    <CardFrame
      variant="complete"
      icon={TOOL_ICONS[kind]}
      name={call.name}
      subject={subjectOf(call, folders)}
      open={open && progress.output !== ""}
      onToggle={() => setOpen(!open)}
      result={
        <>
          <span className={styles.spinner} />
          <span>{progress.status === "waiting" ? "waiting" : "running"}</span>
          <span className={styles.time}>{clock(elapsed)}</span>
        </>
      }
    >
      <CardBody term>
        <Ansi text={progress.output.replace(/\n+$/, "")} last={12} />
        {progress.output.length < progress.total && (
          <div className={styles.more}>last part of {count(progress.total)} characters</div>
        )}
      </CardBody>
    </CardFrame>
  );
};

const QUESTIONS = { exec: "Run this command?", write: "Change this file?", read: "Read this?" };

const WaitingCard = ({ group, approval }: { group: MissingGroup; approval: Approval }) => {
  const { folders, answer } = useView();
  const [open, setOpen] = useState(true);
  const question = useRef<HTMLFieldSetElement>(null);
  useNextFocus(question);
  const { call } = group.use;
  return (
    <CardFrame
      variant="complete"
      icon={TOOL_ICONS[kindOfTool(call.name)]}
      name={call.name}
      subject={subjectOf(call, folders)}
      waiting
      open={open}
      onToggle={() => setOpen(!open)}
      result={<span className={styles.amber}>waits for you</span>}
      foot={
        <fieldset
          ref={question}
          data-question=""
          className={styles.approve}
          aria-label={`Allow ${call.name}: ${approval.subject}`}
        >
          <span>{QUESTIONS[approval.effect]}</span>
          <span className={styles.grow} />
          {answer && (
            <>
              <Button onClick={() => answer(approval, "deny")}>Deny</Button>
              <Button onClick={() => answer(approval, "workspace")}>Allow in this workspace</Button>
              <Button look="primary" onClick={() => answer(approval, "once")}>
                Allow once
              </Button>
            </>
          )}
        </fieldset>
      }
    >
      <CallBody call={call} result={null} />
    </CardFrame>
  );
};
