import { EspalierGlyph } from "../ui/icons.tsx";
import styles from "./Page.module.css";

/** For a page without a key: how to get a fresh link. */
export const KeyPage = () => (
  <main className={styles.center}>
    <div className={styles.card}>
      <div className={styles.mark}>
        <EspalierGlyph size={28} />
      </div>
      <h1 className={styles.cardTitle}>This page needs a fresh link</h1>
      <p>
        Espalier opens only for the link that its server prints, so that no other program on this machine can
        use it. In the folder where it runs, type
      </p>
      <pre className={styles.command}>
        <code>npx espalier open</code>
      </pre>
      <p>and follow the link it prints. Each link works once; this tab stays signed in after that.</p>
    </div>
  </main>
);
