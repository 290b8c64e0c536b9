import type { PathItem, PathItemOf } from "@espalier/protocol";
import { ArrowRight, CircleQuestionMark, Eraser, Info, Settings2, Terminal } from "lucide-react";
import { useState } from "react";
import { LinkButton } from "../../ui/Button.tsx";
import { FoldedLeafGlyph, Icon, NotchGlyph } from "../../ui/icons.tsx";
import { ColouredCode } from "../code/ColouredCode.tsx";
import { count, plural } from "../format.ts";
import { Markdown } from "../markdown/Markdown.tsx";
import card from "../tool/Card.module.css";
import { CardBody, CardFrame } from "../tool/CardFrame.tsx";
import { TextOutput } from "../tool/OutputBody.tsx";
import { Pictures } from "../tool/Pictures.tsx";
import { useView } from "../view-context.tsx";
import { imagesIn, wordsOf } from "./content-text.ts";
import { Foldable } from "./Foldable.tsx";
import styles from "./Item.module.css";
import { ItemMenuButton } from "./ItemMenu.tsx";

/** Where the history before was replaced by a summary. */
export const CompactionItem = ({ item, number }: { item: PathItemOf<"compaction">; number: number }) => {
  const [open, setOpen] = useState(false);
  const { inspect } = useView();
  const { summary, tokensBefore } = item.entry;
  const after = Math.ceil(summary.length / 4);
  return (
    <div>
      <div className={styles.cut}>
        <Icon of={NotchGlyph} />
        <span className={styles.cutWords}>
          <span className={styles.long}>Compaction {number}: what came before became one summary, </span>
          {count(tokensBefore)} <Icon of={ArrowRight} size={12} className={styles.arrow} /> {count(after)}{" "}
          tokens
        </span>
        <LinkButton clay aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Hide summary" : "Show summary"}
        </LinkButton>
        {inspect && (
          <LinkButton clay onClick={() => inspect(item.id)}>
            Inspect
          </LinkButton>
        )}
        <ItemMenuButton entry={item.id} />
      </div>
      {open && (
        <div className={styles.summary}>
          <Markdown text={summary} />
        </div>
      )}
    </div>
  );
};

export const BranchSummaryItem = ({ item }: { item: PathItemOf<"branch_summary"> }) => (
  <Foldable icon={FoldedLeafGlyph} title="Summary of a branch that was left">
    <Markdown text={item.entry.summary} />
  </Foldable>
);

export const SystemItem = ({ item }: { item: PathItemOf<"system"> }) => {
  const { message } = item.entry;
  if (message.role !== "system") return null;
  const content = wordsOf(message.content);
  const sections = Object.entries(message.sections ?? {});
  const tools = message.toolsAdded?.length ?? 0;
  return (
    <Foldable
      icon={Settings2}
      title="System prompt"
      note={[sections.length > 0 && plural(sections.length, "section"), tools > 0 && plural(tools, "tool")]
        .filter(Boolean)
        .join(", ")}
    >
      {content !== "" && <pre className={styles.system}>{content}</pre>}
      {sections.map(([name, text]) => (
        <div key={name}>
          <h4 className={styles.sectionName}>{name}</h4>
          <pre className={styles.system}>{text ?? "removed"}</pre>
        </div>
      ))}
      {tools > 0 && (
        <p className={styles.hint}>Tools: {message.toolsAdded?.map((tool) => tool.name).join(", ")}</p>
      )}
    </Foldable>
  );
};

/** A command the person ran with `!` or `!!`. */
export const BashItem = ({ item }: { item: PathItemOf<"bash"> }) => {
  const [open, setOpen] = useState(true);
  const { message } = item.entry;
  if (message.role !== "bashExecution") return null;
  const failed = message.cancelled || (message.exitCode ?? 0) !== 0;
  return (
    <CardFrame
      variant="complete"
      icon={Terminal}
      name={message.excludeFromContext ? "!!" : "!"}
      subject={message.command.split("\n", 1)[0] ?? ""}
      failed={failed}
      open={open}
      onToggle={() => setOpen(!open)}
      result={
        <>
          {message.excludeFromContext && <span>not for the model</span>}
          <span className={failed ? card.bad : undefined}>
            {message.cancelled ? "stopped" : `exit ${message.exitCode ?? 0}`}
          </span>
        </>
      }
    >
      <TextOutput
        text={message.output}
        lines={12}
        look="terminal"
        note={message.truncated ? `cut; the whole is in ${message.fullOutputPath ?? "a file"}` : undefined}
      />
    </CardFrame>
  );
};

/** Text that a program put into the context. */
export const NoteItem = ({ item }: { item: PathItemOf<"note"> }) => {
  const { entry } = item;
  const source = entry.type === "message" ? entry.message : entry;
  if (!("customType" in source)) return null;
  const hidden = source.display === false;
  const body = (
    <>
      <Markdown text={wordsOf(source.content)} />
      <Pictures entry={item.id} images={imagesIn(source.content)} />
    </>
  );
  return (
    <Foldable icon={Info} title={source.customType} open={!hidden} note={hidden ? "hidden" : undefined}>
      {body}
    </Foldable>
  );
};

/** Says something about the session, nothing to the model. */
export const MarkItem = ({ item }: { item: PathItemOf<"mark"> }) => {
  const { read } = useView();
  const { entry } = item;
  switch (entry.type) {
    case "model_change":
      return (
        <p className={styles.mark}>
          Model: {entry.provider}/{entry.modelId}
        </p>
      );
    case "context_edit":
      return (
        <p className={styles.mark}>
          <Icon of={Eraser} size={12} />
          {entry.replacement === null
            ? "An earlier entry is left out from here on."
            : "An earlier entry was replaced."}
          {read && <LinkButton onClick={() => read(entry.targetId)}>Show it</LinkButton>}
        </p>
      );
    case "thinking_level_change":
    case "custom":
    case "label":
    case "session_info":
    case "usage":
      return null;
  }
};

const roleOf = (item: PathItem): string => {
  const message =
    "message" in item.entry ? (item.entry as { message?: { role?: unknown } }).message : undefined;
  return typeof message?.role === "string" ? `${item.entry.type}, ${message.role}` : item.entry.type;
};

/** A line of the file whose type or role this version does not know. */
export const UnknownItem = ({ item }: { item: PathItemOf<"unknown"> }) => {
  const [open, setOpen] = useState(false);
  return (
    <CardFrame
      variant="unknown"
      icon={CircleQuestionMark}
      name="unrecognised entry"
      subject={roleOf(item)}
      open={open}
      onToggle={() => setOpen(!open)}
      result={<LinkButton onClick={() => setOpen(!open)}>{open ? "Hide JSON" : "Show JSON"}</LinkButton>}
    >
      <CardBody term>
        <ColouredCode text={JSON.stringify(item.entry, null, 2)} language="json" />
      </CardBody>
    </CardFrame>
  );
};
