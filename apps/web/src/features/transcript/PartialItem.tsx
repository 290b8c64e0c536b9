import type { PartialBlock } from "@espalier/protocol";
import { Thinking } from "../../view/item/AnswerItem.tsx";
import { Markdown } from "../../view/markdown/Markdown.tsx";
import { CardFrame } from "../../view/tool/CardFrame.tsx";
import { kindOfTool, TOOL_ICONS } from "../../view/tool/tool-look.ts";
import styles from "./Transcript.module.css";

/** The path, command or pattern inside arguments that are not whole yet. */
const subjectSoFar = (raw: string): string => {
  const found = /"(?:command|path|pattern)"\s*:\s*"((?:[^"\\]|\\.)*)/.exec(raw);
  return (found?.[1] ?? "").replaceAll("\\n", " ").replaceAll('\\"', '"').slice(0, 200);
};

const Block = ({ block, growing }: { block: PartialBlock; growing: boolean }) => {
  switch (block.kind) {
    case "text":
      return block.text === "" ? null : <Markdown text={block.text} growing={growing} />;
    case "thinking":
      return <Thinking text={block.text} growing={growing} />;
    case "toolCall": {
      const name = block.name ?? "tool";
      return (
        <CardFrame
          variant="complete"
          icon={TOOL_ICONS[kindOfTool(name)]}
          name={name}
          subject={subjectSoFar(block.text)}
          open={false}
          result={<span>being written</span>}
        />
      );
    }
  }
};

/** The answer that is being written. */
export const PartialItem = ({ blocks }: { blocks: readonly PartialBlock[] }) => (
  <div className={styles.partial}>
    {blocks.map((block, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
      <Block key={index} block={block} growing={index === blocks.length - 1} />
    ))}
  </div>
);
