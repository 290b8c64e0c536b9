import styles from "./Compare.module.css";
import { LETTERS, type Side } from "./compare-words.ts";

/** The letter of a branch: A outlined, B filled. */
export const Tag = ({ side }: { side: Side }) => (
  <span className={styles.tag} data-side={side}>
    {LETTERS[side]}
  </span>
);
