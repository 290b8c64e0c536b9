import type { SessionInfo } from "@espalier/protocol";
import { Ellipsis, GitBranch, Pencil, Trash2, TriangleAlert } from "lucide-react";
import type { MouseEvent } from "react";
import { Link } from "wouter";
import { IconButton } from "../../ui/Button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuItem } from "../../ui/Menu.tsx";
import { ago, count, plural, shortCount } from "../../view/format.ts";
import styles from "./Sessions.module.css";
import { titleOf } from "./session-rows.ts";

interface SessionRowProps {
  session: SessionInfo;
  depth: number;
  shown: boolean;
  /** There are messages that were not there when it was last looked at. */
  news: boolean;
  onOpened: (() => void) | undefined;
  onRename: () => void;
  onDiscard: () => void;
}

const money = (cost: number): string => (cost < 0.005 ? "" : `$${cost.toFixed(2)}`);

/** 5 h ago: there is little room. */
const shortAgo = (time: string): string => ago(Date.parse(time)).replace(/ (min|h|d)[a-z]* ago$/, " $1 ago");

/** Counts that say something; those of a file that was not read to its end yet would be too small. */
const Counts = ({ session: { totals, messageCount } }: { session: SessionInfo }) => {
  if (!totals) return <span>{messageCount} msg or more</span>;
  const { tokens, cost } = totals;
  return (
    <>
      <span title={plural(messageCount, "message")}>{messageCount} msg</span>
      {tokens > 0 && <span title={`${count(tokens)} tokens`}>{shortCount(tokens)} tok</span>}
      {money(cost) !== "" && <span>{money(cost)}</span>}
    </>
  );
};

/** What sets a session apart, at the right end of its second line. */
const Marks = ({ session: { totals, root } }: { session: SessionInfo }) => {
  const branches = totals?.branches ?? 0;
  const damaged = totals?.damaged ?? 0;
  return (
    <span className={styles.marks}>
      {branches > 1 && (
        <span className={styles.mark} title={`${branches} branches`}>
          <Icon of={GitBranch} size={11} />
          {branches}
          <span className="visually-hidden"> branches</span>
        </span>
      )}
      {damaged > 0 && (
        <span className={classNames(styles.mark, styles.damaged)} title={plural(damaged, "damaged line")}>
          <Icon of={TriangleAlert} size={11} />
          {damaged}
          <span className="visually-hidden"> damaged lines</span>
        </span>
      )}
      {root === "pi" && <span title="Lies in pi's folder">pi</span>}
    </span>
  );
};

/** Opens the same menu as the row's button does. */
const openMenu = (event: MouseEvent<HTMLElement>): void => {
  const button = event.currentTarget.querySelector<HTMLElement>("button[aria-haspopup=menu]");
  if (!button) return;
  event.preventDefault();
  button.focus();
  button.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
};

/** One session: its name or first words, and what is known of it. */
export const SessionRow = ({
  session,
  depth,
  shown,
  news,
  onOpened,
  onRename,
  onDiscard,
}: SessionRowProps) => (
  <div
    className={classNames(styles.session, shown && styles.shown)}
    style={{ paddingLeft: 14 + depth * 14 }}
    onContextMenu={openMenu}
  >
    {depth > 0 && <span className={styles.fork} style={{ left: depth * 14 }} />}
    <Link
      href={`/s/${encodeURIComponent(session.id)}`}
      className={styles.link}
      data-session={session.id}
      aria-current={shown ? "page" : undefined}
      onClick={onOpened}
    >
      <span className={styles.name}>
        {depth > 0 && <span className="visually-hidden">fork: </span>}
        {news && (
          <span className={styles.news}>
            <span className="visually-hidden">new messages: </span>
          </span>
        )}
        {titleOf(session)}
      </span>
      <span className={styles.meta}>
        <span className={styles.facts}>
          <span>{shortAgo(session.modified)}</span>
          {session.problem === undefined ? (
            <Counts session={session} />
          ) : (
            <span className={styles.problem} title={session.problem}>
              {session.problem}
            </span>
          )}
        </span>
        <Marks session={session} />
      </span>
    </Link>
    <span className={styles.more}>
      <Menu
        label={`Actions of ${titleOf(session).slice(0, 60)}`}
        align="end"
        trigger={<IconButton label="Session actions" icon={Ellipsis} small />}
      >
        <MenuItem icon={Pencil} meta="r" onSelect={onRename}>
          Rename
        </MenuItem>
        <MenuItem icon={Trash2} meta="Del" onSelect={onDiscard}>
          Move to trash
        </MenuItem>
      </Menu>
    </span>
  </div>
);
