import type { SessionInfo } from "@espalier/protocol";

export type SessionSort = "recent" | "name" | "cost" | "size";

/** What is shown of all sessions, and in which order. */
export interface SessionView {
  readonly text: string;
  /** "all", or whose folder the files lie in. */
  readonly root: SessionInfo["root"] | "all";
  /** Only sessions of this working folder; null for all. */
  readonly folder: string | null;
  readonly sort: SessionSort;
}

export const EVERYTHING: SessionView = { text: "", root: "all", folder: null, sort: "recent" };

/** A line of the list: a folder's heading, or a session, `depth` forks below its origin. */
export type SessionLine =
  | { readonly kind: "folder"; readonly cwd: string; readonly count: number }
  | { readonly kind: "session"; readonly session: SessionInfo; readonly depth: number };

export const titleOf = ({ name, firstMessage }: SessionInfo): string =>
  name ?? (firstMessage === "" ? "empty session" : firstMessage);

/** Deeper forks are drawn no further to the right. */
const DEEPEST = 4;

const orders: Readonly<Record<SessionSort, (a: SessionInfo, b: SessionInfo) => number>> = {
  recent: (a, b) => (a.modified < b.modified ? 1 : a.modified > b.modified ? -1 : 0),
  name: (a, b) => titleOf(a).localeCompare(titleOf(b)),
  cost: (a, b) => (b.totals?.cost ?? 0) - (a.totals?.cost ?? 0),
  size: (a, b) => (b.totals?.entries ?? b.messageCount) - (a.totals?.entries ?? a.messageCount),
};

const filterOf = ({ text, root, folder }: SessionView): ((session: SessionInfo) => boolean) => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (session) => {
    if (root !== "all" && session.root !== root) return false;
    if (folder !== null && session.cwd !== folder) return false;
    if (words.length === 0) return true;
    const all = `${session.name ?? ""} ${session.firstMessage} ${session.cwd} ${session.id}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
};

/** Forks below the session they came from, where that is shown too; the others in order. Read by a loop: chains may be long. */
const threaded = (sessions: readonly SessionInfo[]): SessionLine[] => {
  const byPath = new Map(sessions.map((session) => [session.path, session]));
  const forks = new Map<string, SessionInfo[]>();
  const origins: SessionInfo[] = [];
  for (const session of sessions) {
    const { parent } = session;
    if (parent === undefined || parent === session.path || !byPath.has(parent)) origins.push(session);
    else forks.set(parent, [...(forks.get(parent) ?? []), session]);
  }
  const lines: SessionLine[] = [];
  const seen = new Set<string>();
  const walk = (from: readonly SessionInfo[]): void => {
    const stack = from.toReversed().map((session) => ({ session, depth: 0 }));
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { session, depth } = next;
      if (seen.has(session.path)) continue;
      seen.add(session.path);
      lines.push({ kind: "session", session, depth: Math.min(depth, DEEPEST) });
      const below = forks.get(session.path) ?? [];
      for (const fork of below.toReversed()) stack.push({ session: fork, depth: depth + 1 });
    }
  };
  walk(origins);
  // Two files may name each other as their origin.
  walk(sessions);
  return lines;
};

/** The lines of the list: grouped by the folder a session works in, the folder of the first session in order first. */
export const sessionLines = (sessions: readonly SessionInfo[], view: SessionView): SessionLine[] => {
  const groups = new Map<string, SessionInfo[]>();
  for (const session of sessions.filter(filterOf(view)).toSorted(orders[view.sort])) {
    const group = groups.get(session.cwd);
    if (group) group.push(session);
    else groups.set(session.cwd, [session]);
  }
  return [...groups].flatMap(([cwd, group]) => [
    { kind: "folder" as const, cwd, count: group.length },
    ...threaded(group),
  ]);
};

/** Folders by the number of their sessions, the fullest first. */
export const foldersOf = (sessions: readonly SessionInfo[]): { cwd: string; count: number }[] => {
  const counts = new Map<string, number>();
  for (const { cwd } of sessions) counts.set(cwd, (counts.get(cwd) ?? 0) + 1);
  return [...counts].map(([cwd, count]) => ({ cwd, count })).toSorted((a, b) => b.count - a.count);
};
