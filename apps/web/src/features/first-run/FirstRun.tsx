import { problemOf } from "@espalier/core";
import { FileUp, History, KeyRound, Sprout } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { useLocation } from "wouter";
import { useModels, useSessions, useWorkspace } from "../../store/queries.ts";
import { useServices } from "../../store/services.tsx";
import { Button } from "../../ui/Button.tsx";
import { type Glyph, Icon } from "../../ui/icons.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { ago, plural, shownPath } from "../../view/format.ts";
import { ConnectDialog } from "./ConnectDialog.tsx";
import { EspalierPicture } from "./EspalierPicture.tsx";
import styles from "./FirstRun.module.css";

interface WayProps {
  icon: Glyph;
  title: string;
  children: ReactNode;
  action: ReactNode;
}

const Way = ({ icon, title, children, action }: WayProps) => (
  <li>
    <span className={styles.icon}>
      <Icon of={icon} size={18} />
    </span>
    <div>
      <h2>{title}</h2>
      <p>{children}</p>
    </div>
    {action}
  </li>
);

interface FirstRunProps {
  /** Shows the list of sessions. */
  onSessions: () => void;
  onImport: (files: readonly File[]) => void;
  connecting: boolean;
  onConnect: (open: boolean) => void;
}

const PiWay = ({ onSessions }: { onSessions: () => void }) => {
  const workspace = useWorkspace();
  const sessions = useSessions();
  const pi = (sessions.data?.sessions ?? []).filter((session) => session.root === "pi");
  const number = sessions.data ? pi.length : (workspace.data?.piSessions ?? 0);
  const newest = pi.reduce((most, session) => Math.max(most, Date.parse(session.modified) || 0), 0);
  const folder = workspace.data ? shownPath(`${workspace.data.piDir}/sessions`) : "~/.pi/agent/sessions";
  if (number === 0)
    return (
      <Way
        icon={History}
        title="Your pi sessions"
        action={<Button onClick={onSessions}>All sessions</Button>}
      >
        None found in <code>{folder}</code>. Sessions you make there appear by themselves.
      </Way>
    );
  return (
    <Way
      icon={History}
      title="Open your pi sessions"
      action={
        <Button look="primary" onClick={onSessions}>
          Open
        </Button>
      }
    >
      {number}
      <span className={styles.long}>{number === 1 ? " session" : " sessions"}</span> in <code>{folder}</code>
      {newest > 0 && `, newest ${ago(newest)}`}
    </Way>
  );
};

const useNewSession = (): ((model?: string) => Promise<void>) => {
  const { api } = useServices();
  const [, go] = useLocation();
  return async (model) => {
    try {
      const { id } = await api.createSession();
      if (model !== undefined) await api.command(id, { type: "set_model", model }).catch(() => undefined);
      go(`/s/${encodeURIComponent(id)}`);
    } catch (error) {
      showToast(problemOf(error).message, "error");
    }
  };
};

/** The first page: ways to begin, none of which needs a key. */
export const FirstRun = ({ onSessions, onImport, connecting, onConnect }: FirstRunProps) => {
  const models = useModels();
  const newSession = useNewSession();
  const picker = useRef<HTMLInputElement>(null);
  const ready = (models.data?.models ?? []).filter((model) => model.ready && model.provider !== "demo");
  const preferred = models.data?.default;
  const hasModel = ready.length > 0;
  return (
    <main className={styles.serene}>
      <section>
        <h1 className={styles.headline}>
          A session is a tree.
          <br />
          Train it as you like.
        </h1>
        <p className={styles.lead}>
          Every prompt, branch and compaction stays where it grew. You need no key to look around.
        </p>
        <ol className={styles.ways}>
          <PiWay onSessions={onSessions} />
          <Way
            icon={FileUp}
            title="Drop a session file here"
            action={<Button onClick={() => picker.current?.click()}>Choose</Button>}
          >
            A <code>.jsonl</code> from pi. It is copied; the file itself stays as it is.
          </Way>
          <Way
            icon={KeyRound}
            title="Connect a model"
            action={<Button onClick={() => onConnect(true)}>Connect</Button>}
          >
            Anthropic, OpenAI, or any compatible address.{" "}
            {hasModel && (
              <span className={styles.found}>
                <i />
                {plural(ready.length, "model")} ready
              </span>
            )}
          </Way>
          <Way
            icon={Sprout}
            title="Try it with the demo model"
            action={<Button onClick={() => void newSession("demo/gardener")}>Start</Button>}
          >
            <code>demo/gardener</code> is a script, not a language model. Its tool calls are real.
          </Way>
          {hasModel && preferred && (
            <Way
              icon={Sprout}
              title="Start with your model"
              action={
                <Button onClick={() => void newSession(`${preferred.provider}/${preferred.modelId}`)}>
                  New session
                </Button>
              }
            >
              <code>
                {preferred.provider}/{preferred.modelId}
              </code>{" "}
              in this folder
            </Way>
          )}
        </ol>
        <input
          ref={picker}
          type="file"
          accept=".jsonl"
          hidden
          multiple
          aria-label="Session files"
          onChange={(event) => {
            onImport([...(event.target.files ?? [])]);
            event.target.value = "";
          }}
        />
      </section>
      <EspalierPicture />
      <ConnectDialog open={connecting} onClose={() => onConnect(false)} />
    </main>
  );
};
