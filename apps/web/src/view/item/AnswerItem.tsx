import type { AssistantMessage, EntryId, PathItemOf } from "@espalier/protocol";
import { Brain, Copy, GitBranch } from "lucide-react";
import { IconButton, LinkButton } from "../../ui/Button.tsx";
import { copyText } from "../copy-text.ts";
import { Markdown } from "../markdown/Markdown.tsx";
import { ToolCard } from "../tool/ToolCard.tsx";
import { useWholeText } from "../tool/use-whole-text.ts";
import { useView } from "../view-context.tsx";
import { Foldable } from "./Foldable.tsx";
import styles from "./Item.module.css";
import { ItemMenuButton } from "./ItemMenu.tsx";
import { SiblingSwitch, useSiblings } from "./SiblingSwitch.tsx";

type Block = AssistantMessage["content"][number];

/** What the model thought, folded. */
export const Thinking = ({ text, growing = false }: { text: string; growing?: boolean }) => (
  <Foldable icon={Brain} title={growing ? "Thinking" : "Thought"} open={growing} kind="thinking">
    <Markdown text={text} growing={growing} className={styles.thinking ?? ""} />
  </Foldable>
);

const TextBlock = ({
  entry,
  index,
  block,
}: {
  entry: EntryId;
  index: number;
  block: Extract<Block, { type: "text" }>;
}) => {
  const whole = useWholeText(entry, block.elided === undefined ? null : index, block.text);
  if (whole.text.trim() === "") return null;
  return (
    <>
      <Markdown text={whole.text} />
      {whole.cut && (
        <LinkButton onClick={whole.load} disabled={whole.loading}>
          Show all of it
        </LinkButton>
      )}
    </>
  );
};

const ALONE = { total: 1, complete: 0 };

const BlockOf = ({ entry, index, block }: { entry: EntryId; index: number; block: Block }) => {
  switch (block.type) {
    case "text":
      return <TextBlock entry={entry} index={index} block={block} />;
    case "thinking":
      if (block.thinking.trim() !== "") return <Thinking text={block.thinking} />;
      return block.redacted ? (
        <p className={styles.hint}>Thinking that the provider keeps to itself.</p>
      ) : null;
    case "toolCall":
      return null;
    default:
      return (
        <ToolCard group={{ kind: "unknown", entries: [{ entryId: entry, index, block }] }} batch={ALONE} />
      );
  }
};

const Ending = ({ message }: { message: AssistantMessage }) => {
  switch (message.stopReason) {
    case "error":
      return <p className={styles.failure}>{message.errorMessage ?? "The model answered with an error."}</p>;
    case "aborted":
      return (
        <p className={styles.stopped}>Stopped{message.errorMessage ? `: ${message.errorMessage}` : "."}</p>
      );
    case "length":
      return <p className={styles.stopped}>The answer reached the output limit.</p>;
    case "deferred":
      return <p className={styles.stopped}>The answer was put off by the provider.</p>;
    case "stop":
    case "toolUse":
      return null;
  }
};

/** An assistant message without its calls. */
export const AnswerItem = ({ item }: { item: PathItemOf<"step"> }) => {
  const { branchFrom } = useView();
  const siblings = useSiblings(item.id);
  const { message } = item.entry;
  if (message.role !== "assistant") return null;
  const text = message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
  return (
    <div className={styles.answer} data-calls={item.groups.length > 0 || undefined}>
      {siblings && <SiblingSwitch siblings={siblings} />}
      {message.content.map((block, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
        <BlockOf key={index} entry={item.id} index={index} block={block} />
      ))}
      {item.edit && <p className={styles.leftOut}>Left out for the model.</p>}
      <Ending message={message} />
      <span className={styles.answerActs}>
        {branchFrom && (
          <IconButton label="Branch from here" icon={GitBranch} small onClick={() => branchFrom(item.id)} />
        )}
        {text.trim() !== "" && (
          <IconButton label="Copy" icon={Copy} small onClick={() => void copyText(text)} />
        )}
        <ItemMenuButton entry={item.id} />
      </span>
    </div>
  );
};
