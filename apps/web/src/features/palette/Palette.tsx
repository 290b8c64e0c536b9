import { Command } from "cmdk";
import { useMemo, useState } from "react";
import { useLocation } from "wouter";
import { useStore } from "zustand";
import { useSessions } from "../../store/queries.ts";
import { uiStore } from "../../store/ui-store.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { ago, shownPath } from "../../view/format.ts";
import styles from "./Palette.module.css";

export interface PaletteAction {
  readonly name: string;
  readonly keys?: string;
  readonly run: () => void;
}

/** All words stand in the text, in any order. */
const fits = (text: string, search: string): boolean => {
  const low = text.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => low.includes(word));
};

const List = ({ actions, close }: { actions: readonly PaletteAction[]; close: () => void }) => {
  const [search, setSearch] = useState("");
  const sessions = useSessions();
  const [, go] = useLocation();
  const shownActions = actions.filter((action) => fits(action.name, search));
  const found = useMemo(
    () =>
      (sessions.data?.sessions ?? [])
        .filter((session) => fits(`${session.name ?? ""} ${session.firstMessage} ${session.cwd}`, search))
        .toSorted((a, b) => b.modified.localeCompare(a.modified))
        .slice(0, 8),
    [sessions.data, search],
  );
  const run = (act: () => void) => () => {
    close();
    act();
  };
  return (
    <Command shouldFilter={false} label="Command palette" loop>
      <Command.Input
        className={styles.input}
        placeholder="Do something, or go to a session"
        value={search}
        onValueChange={setSearch}
      />
      <Command.List className={styles.list}>
        <Command.Empty className={styles.empty}>Nothing fits.</Command.Empty>
        {shownActions.length > 0 && (
          <Command.Group heading="Actions">
            {shownActions.map((action) => (
              <Command.Item
                key={action.name}
                value={`do ${action.name}`}
                className={styles.item}
                onSelect={run(action.run)}
              >
                <span className={styles.name}>{action.name}</span>
                {action.keys !== undefined && <span className={styles.meta}>{action.keys}</span>}
              </Command.Item>
            ))}
          </Command.Group>
        )}
        {found.length > 0 && (
          <Command.Group heading="Sessions">
            {found.map((session) => (
              <Command.Item
                key={session.id}
                value={`session ${session.id}`}
                className={styles.item}
                onSelect={run(() => go(`/s/${encodeURIComponent(session.id)}`))}
              >
                <span className={styles.name}>
                  {session.name ?? (session.firstMessage || "empty session")}
                </span>
                <span className={styles.meta}>
                  {shownPath(session.cwd)}, {ago(Date.parse(session.modified))}
                </span>
              </Command.Item>
            ))}
          </Command.Group>
        )}
      </Command.List>
    </Command>
  );
};

/** Everything the page can do, and every session, by typing. */
export const Palette = ({ actions }: { actions: readonly PaletteAction[] }) => {
  const open = useStore(uiStore, (state) => state.palette);
  const close = (): void => uiStore.setState({ palette: false });
  return (
    <Dialog open={open} onClose={close} title="Command palette" look="palette">
      <List actions={actions} close={close} />
    </Dialog>
  );
};
