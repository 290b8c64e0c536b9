import { CircleQuestionMark, Folder, Moon } from "lucide-react";
import { useRef, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { FirstRun } from "../features/first-run/FirstRun.tsx";
import { useDropZone, useImport } from "../features/first-run/use-import.ts";
import { SessionsPanel } from "../features/sessions/SessionsPanel.tsx";
import { StreamStrip } from "../features/strips/Strips.tsx";
import { Brand } from "../features/topbar/TopBar.tsx";
import { useSessions, useWorkspace } from "../store/queries.ts";
import { toggleTheme, uiStore } from "../store/ui-store.ts";
import { IconButton } from "../ui/Button.tsx";
import { classNames } from "../ui/class-names.ts";
import { Icon } from "../ui/icons.tsx";
import { shownPath } from "../view/format.ts";
import { globalActions } from "./global-actions.ts";
import { Overlays } from "./overlays.tsx";
import styles from "./Page.module.css";
import { useGlobalKeys } from "./use-global-keys.ts";
import { useNewSession } from "./use-new-session.ts";

const Bar = () => {
  const workspace = useWorkspace();
  return (
    <header className={styles.homeBar}>
      <Brand />
      <span className={styles.grow} />
      {workspace.data && (
        <span className={styles.folder} title={workspace.data.cwd}>
          <Icon of={Folder} size={14} />
          <span>{shownPath(workspace.data.cwd)}</span>
        </span>
      )}
      <IconButton label="Theme" icon={Moon} onClick={toggleTheme} />
      <IconButton label="Help" icon={CircleQuestionMark} onClick={() => uiStore.setState({ help: true })} />
    </header>
  );
};

/** `/`: the first page, and all sessions: beside it for who has some of our own, else below. */
export const HomePage = () => {
  const sessions = useSessions();
  const workspace = useWorkspace();
  const [search, setSearch] = useSearchParams();
  const [, go] = useLocation();
  const newSession = useNewSession();
  const importFiles = useImport();
  const { over, zone } = useDropZone((files) => void importFiles(files));
  const list = useRef<HTMLDivElement>(null);
  useGlobalKeys({});
  const all = sessions.data?.sessions ?? [];
  // A link to a search shows it; while somebody types one the page stays as it is laid out.
  const [sought] = useState(() => (search.get("q") ?? "") !== "");
  const beside = sought || all.some((session) => session.root === "espalier");
  const connect = (open: boolean): void =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (open) next.set("connect", "");
      else next.delete("connect");
      return next;
    });
  const look = {
    text: search.get("q") ?? "",
    change: (text: string): void =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before);
          if (text === "") next.delete("q");
          else next.set("q", text);
          return next;
        },
        { replace: true },
      ),
  };
  const showSessions = (): void => {
    list.current?.scrollIntoView({ behavior: "smooth", block: "start" });
    list.current?.querySelector<HTMLElement>("input")?.focus({ preventScroll: true });
  };
  const panel = (all.length > 0 || sessions.isError) && (
    <div ref={list} className={beside ? styles.homeRail : styles.homeBelow}>
      <SessionsPanel shown={null} onNew={() => void newSession()} search={look} />
    </div>
  );
  return (
    <div className={classNames(styles.home, beside && styles.withRail)} {...zone}>
      <Bar />
      <StreamStrip />
      <div className={styles.homeBody}>
        {beside && panel}
        <div className={styles.homeMain}>
          <div className={styles.homeScreen}>
            <FirstRun
              onSessions={showSessions}
              onImport={(files) => void importFiles(files)}
              connecting={search.has("connect")}
              onConnect={connect}
            />
            <footer className={styles.homeFoot}>
              <span>
                Everything stays on this machine, in{" "}
                <code>{shownPath(workspace.data?.dataDir ?? "~/.espalier")}</code>
              </span>
              <span>Reads pi's files where they lie and never changes them unasked</span>
            </footer>
          </div>
          {!beside && panel}
        </div>
      </div>
      {over && <div className={styles.drop}>Let go to open the session file</div>}
      <Overlays actions={[{ name: "New session", run: () => void newSession() }, ...globalActions(go)]} />
    </div>
  );
};
