import { problemOf } from "@espalier/core";
import type { EntryBody } from "@espalier/protocol";
import { Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { useServices } from "../../store/services.tsx";
import { useSession, useShown } from "../../store/session-context.tsx";
import { uiStore } from "../../store/ui-store.ts";
import { Button } from "../../ui/Button.tsx";
import { ColouredCode } from "../../view/code/ColouredCode.tsx";
import { copyText } from "../../view/copy-text.ts";
import { count } from "../../view/format.ts";
import styles from "./Inspector.module.css";

type Loaded =
  | { readonly id: string; readonly json: string }
  | { readonly id: string; readonly error: string };

/** Longer lines of the file are shown up to here; Copy gives all. */
const SHOWN = 40_000;

const useEntry = (): Loaded | null => {
  const { api } = useServices();
  const { client } = useShown();
  const reading = useStore(uiStore, (state) => state.reading);
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  useEffect(() => {
    if (reading === null) return;
    let alive = true;
    // While one scrolls on, only the entry one stays at is read.
    const timer = setTimeout(() => {
      api.entry(client.store.getState().id, reading).then(
        ({ entry }: EntryBody) => alive && setLoaded({ id: reading, json: JSON.stringify(entry, null, 2) }),
        (error: unknown) => alive && setLoaded({ id: reading, error: problemOf(error).message }),
      );
    }, 200);
    return () => {
      alive = false;
      clearTimeout(timer);
    };
  }, [api, client, reading]);
  return loaded;
};

/** The entry that is read, as it stands in the file. */
export const EntryPane = () => {
  const loaded = useEntry();
  const row = useSession((open) => (loaded ? open.session?.tree.get(loaded.id as never) : undefined));
  if (!loaded) return <p className={styles.empty}>The entry you read is shown here.</p>;
  return (
    <div className={styles.pane}>
      <dl className={styles.facts}>
        <dt>Entry</dt>
        <dd>
          <code>{loaded.id}</code>
        </dd>
        {row && (
          <>
            <dt>Kind</dt>
            <dd>{row.role === undefined ? row.type : `${row.type}, ${row.role}`}</dd>
            <dt>Tokens, estimated</dt>
            <dd>{count(row.tokens)}</dd>
            <dt>Parent</dt>
            <dd>
              <code>{row.parentId ?? "none"}</code>
            </dd>
          </>
        )}
      </dl>
      {"error" in loaded ? (
        <p className={styles.empty}>{loaded.error}</p>
      ) : (
        <>
          <Button icon={Copy} className={styles.compact} onClick={() => void copyText(loaded.json)}>
            Copy JSON
          </Button>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
          <pre className={styles.json} tabIndex={0} aria-label="The entry as JSON">
            <ColouredCode text={loaded.json.slice(0, SHOWN)} language="json" />
          </pre>
          {loaded.json.length > SHOWN && <p className={styles.small}>The beginning. Copy gives all of it.</p>}
        </>
      )}
    </div>
  );
};
