import { useModels, useSessions, useWorkspace } from "../store/queries.ts";
import { useSession } from "../store/session-context.tsx";
import { ago, shownPath } from "../view/format.ts";
import styles from "./Page.module.css";

/** A session before its first message: its folder, and four facts of it. */
export const EmptySession = () => {
  const workspace = useWorkspace();
  const sessions = useSessions();
  const models = useModels();
  const folder = useSession((open) => open.facts?.folder.cwd ?? "");
  const model = useSession((open) => open.facts?.model ?? null);
  const here = (sessions.data?.sessions ?? []).filter((session) => session.cwd === folder);
  const newest = here.reduce((most, session) => Math.max(most, Date.parse(session.modified) || 0), 0);
  const isHere = workspace.data?.cwd === folder;
  const used = models.data?.models.find(
    (each) => each.provider === model?.provider && each.id === model.modelId,
  );
  const name = folder.slice(folder.lastIndexOf("/") + 1);
  return (
    <div className={styles.empty}>
      <h2 className={styles.emptyTitle}>{name === "" ? "A new session" : `A new session in ${name}`}</h2>
      <dl className={styles.emptyFacts}>
        <dt>Folder</dt>
        <dd>
          <code>{shownPath(folder)}</code>
        </dd>
        {isHere && workspace.data?.gitBranch !== undefined && (
          <>
            <dt>Git branch</dt>
            <dd>
              <code>{workspace.data.gitBranch}</code>
            </dd>
          </>
        )}
        {isHere && (
          <>
            <dt>Context files</dt>
            <dd>
              {workspace.data?.contextFiles.length === 0
                ? "none"
                : workspace.data?.contextFiles.map((path) => shownPath(path, [folder])).join(", ")}
            </dd>
          </>
        )}
        <dt>Last session here</dt>
        <dd>{newest === 0 ? "none" : ago(newest)}</dd>
        <dt>Model</dt>
        <dd>
          {model ? `${model.provider}/${model.modelId}` : "none: connect one on the first page"}
          {used?.note !== undefined && <span className={styles.note}>, {used.note}</span>}
        </dd>
      </dl>
    </div>
  );
};
