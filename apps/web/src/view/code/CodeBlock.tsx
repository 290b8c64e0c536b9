import { Copy } from "lucide-react";
import { IconButton } from "../../ui/Button.tsx";
import { copyText } from "../copy-text.ts";
import styles from "./Code.module.css";
import { ColouredCode } from "./ColouredCode.tsx";
import { languageOf } from "./languages.ts";

interface CodeBlockProps {
  text: string;
  /** As the fence names it; may be empty. */
  lang: string;
  growing?: boolean;
}

/** Code that still grows is coloured anew with every piece, so only as long as it is short. */
const GROWING = 12_000;

/** Code in a message: coloured when we know the language, with a button that copies it. */
export const CodeBlock = ({ text, lang, growing = false }: CodeBlockProps) => (
  <div className={styles.frame}>
    <pre className={styles.block} tabIndex={0} aria-label={lang === "" ? "Code" : `Code, ${lang}`}>
      <code>
        <ColouredCode text={text} language={growing && text.length > GROWING ? null : languageOf(lang)} />
        {growing && <span className={styles.caret} />}
      </code>
    </pre>
    {!growing && (
      <IconButton
        label="Copy code"
        icon={Copy}
        small
        className={styles.copy}
        onClick={() => void copyText(text)}
      />
    )}
  </div>
);
