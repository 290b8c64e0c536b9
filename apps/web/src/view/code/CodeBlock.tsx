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

/** Code in a message: coloured when we know the language, with a button that copies it. */
export const CodeBlock = ({ text, lang, growing = false }: CodeBlockProps) => (
  <div className={styles.frame}>
    <pre className={styles.block} tabIndex={0} aria-label={lang === "" ? "Code" : `Code, ${lang}`}>
      <code>
        <ColouredCode text={text} language={languageOf(lang)} />
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
