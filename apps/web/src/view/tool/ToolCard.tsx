import type { ToolGroup } from "@espalier/protocol";
import { CircleQuestionMark, Copy, Ellipsis, GitBranch, Unlink } from "lucide-react";
import { memo } from "react";
import { LinkButton } from "../../ui/Button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuItem } from "../../ui/Menu.tsx";
import { ColouredCode } from "../code/ColouredCode.tsx";
import { copyText } from "../copy-text.ts";
import { countChanges } from "../diff/diff-lines.ts";
import { bytes, duration } from "../format.ts";
import { useFolded } from "../use-folded.ts";
import { useView } from "../view-context.tsx";
import { CallBody } from "./CallBody.tsx";
import styles from "./Card.module.css";
import { CardBody, CardFrame } from "./CardFrame.tsx";
import { editLines } from "./edit-lines.ts";
import { MissingCard } from "./MissingCard.tsx";
import { OutputBody } from "./OutputBody.tsx";
import { kindOfTool, TOOL_ICONS } from "./tool-look.ts";
import { outcomeOf, subjectOf, textOfResult } from "./tool-text.ts";

type GroupOf<Kind extends ToolGroup["kind"]> = Extract<ToolGroup, { kind: Kind }>;

interface ToolCardProps {
  group: ToolGroup;
  /** Groups of the same step and how many of them came back, for the words of one that did not. */
  batch: { readonly total: number; readonly complete: number };
}

/** A tool call in one of its four states. */
export const ToolCard = memo(({ group, batch }: ToolCardProps) => {
  switch (group.kind) {
    case "complete":
      return <CompleteCard group={group} />;
    case "missing_results":
      return <MissingCard group={group} batch={batch} />;
    case "orphaned_result":
      return <OrphanCard group={group} />;
    case "unknown":
      return <UnknownCard group={group} />;
  }
});

const Changes = ({ group }: { group: GroupOf<"complete"> }) => {
  const { added, removed } = countChanges(editLines(group.use.call, group.result));
  if (added + removed === 0) return null;
  return (
    <span>
      <span className={styles.plus}>+{added}</span> <span className={styles.minus}>{`\u2212${removed}`}</span>
    </span>
  );
};

const CallMenu = ({ group }: { group: GroupOf<"complete"> }) => {
  const { tree, branchFrom } = useView();
  const { call, entryId } = group.use;
  const { path, command } = call.arguments;
  const given = typeof command === "string" ? command : typeof path === "string" ? path : null;
  const before = tree?.get(entryId)?.parentId ?? null;
  return (
    <Menu
      label={`Actions of ${call.name}`}
      align="end"
      trigger={
        <button type="button" className={styles.actions} aria-label={`Actions of ${call.name}`}>
          <Icon of={Ellipsis} size={14} />
        </button>
      }
    >
      <MenuItem icon={Copy} onSelect={() => void copyText(textOfResult(group.result.message.content).text)}>
        Copy output
      </MenuItem>
      {given !== null && (
        <MenuItem icon={Copy} onSelect={() => void copyText(given)}>
          {typeof command === "string" ? "Copy command" : "Copy path"}
        </MenuItem>
      )}
      {branchFrom && (
        <MenuItem icon={GitBranch} onSelect={() => branchFrom(entryId)}>
          Branch from here
        </MenuItem>
      )}
      {branchFrom && before !== null && (
        <MenuItem icon={GitBranch} onSelect={() => branchFrom(before)}>
          Branch before this
        </MenuItem>
      )}
    </Menu>
  );
};

const CompleteCard = ({ group }: { group: GroupOf<"complete"> }) => {
  const { folders } = useView();
  const { call } = group.use;
  const { message } = group.result;
  const kind = kindOfTool(call.name);
  const failed = message.isError;
  const [open, toggle] = useFolded("tools", kind === "edit" || kind === "bash" || failed);
  const outcome = outcomeOf(call.name, group.result);
  return (
    <CardFrame
      variant="complete"
      icon={TOOL_ICONS[kind]}
      name={call.name}
      subject={subjectOf(call, folders)}
      failed={failed}
      open={open}
      onToggle={toggle}
      result={
        <>
          <CallMenu group={group} />
          {kind === "edit" && !failed && <Changes group={group} />}
          {group.result.edit && <span className={styles.amber}>left out</span>}
          {outcome !== "" && <span className={failed ? styles.bad : undefined}>{outcome}</span>}
          {failed && outcome.startsWith("exit") && <span className={styles.bad}>failed</span>}
          {message.durationMs !== undefined && (
            <span className={styles.time}>{duration(message.durationMs)}</span>
          )}
        </>
      }
    >
      <CallBody call={call} result={group.result} />
    </CardFrame>
  );
};

const OrphanCard = ({ group }: { group: GroupOf<"orphaned_result"> }) => {
  const { read } = useView();
  const [open, toggle] = useFolded("tools", false);
  const { elsewhere } = group;
  const { message } = group.result;
  return (
    <CardFrame
      variant="orphaned_result"
      icon={Unlink}
      name={message.toolName}
      subject="Result only: its call is not on this path"
      words
      open={open}
      onToggle={toggle}
      result={
        <>
          {elsewhere !== undefined && read && (
            <LinkButton onClick={() => read(elsewhere)}>Show call</LinkButton>
          )}
          <span className={styles.time}>{bytes(textOfResult(message.content).length)}</span>
        </>
      }
    >
      <OutputBody result={group.result} lines={12} look="terminal" />
    </CardFrame>
  );
};

const typeOf = (block: unknown): string => {
  const type = typeof block === "object" && block !== null ? (block as { type?: unknown }).type : undefined;
  return typeof type === "string" ? type : "no type";
};

const UnknownCard = ({ group }: { group: GroupOf<"unknown"> }) => {
  const [open, toggle] = useFolded("tools", false);
  return (
    <CardFrame
      variant="unknown"
      icon={CircleQuestionMark}
      name="unrecognised block"
      subject={group.entries.map(({ block }) => typeOf(block)).join(", ")}
      open={open}
      onToggle={toggle}
      result={<LinkButton onClick={toggle}>{open ? "Hide JSON" : "Show JSON"}</LinkButton>}
    >
      <CardBody term>
        <ColouredCode
          text={JSON.stringify(
            group.entries.map(({ block }) => block),
            null,
            2,
          )}
          language="json"
        />
      </CardBody>
    </CardFrame>
  );
};
