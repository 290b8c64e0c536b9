import { Link } from "wouter";
import styles from "./Page.module.css";

export const NothingHere = () => (
  <main className={styles.center}>
    <div className={styles.card}>
      <h1 className={styles.cardTitle}>There is nothing at this address</h1>
      <p>
        <Link href="/">All sessions</Link>
      </p>
    </div>
  </main>
);
