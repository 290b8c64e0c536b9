import type { EntryId, Row } from "@espalier/protocol";
import type { SessionTree } from "../session/session-tree.ts";

/** Which entries are drawn: pi's five filters of the tree. */
export type TreeFilter = "default" | "no-tools" | "user" | "labelled" | "all";

/** Nodes by entry. */
type NodeIndex = Pick<ReadonlyMap<EntryId, number>, "get">;

/**
 * The entries that are drawn, as arrays: others are left out and what hangs at one counts as its parent's. Nodes are numbered in
 * file order; -1 is no node. Children of a node stand in file order. O(n), no recursion.
 */
export interface DrawnTree {
  readonly rows: readonly Row[];
  /** The node of an entry; undefined for one that is not drawn. */
  readonly nodeOf: NodeIndex;
  readonly parent: Int32Array;
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  readonly children: Int32Array;
  readonly roots: readonly number[];
  /** Every node after its parent. */
  readonly order: Int32Array;
}

const numbers = (size: number): Int32Array => new Int32Array(size).fill(-1);

const isAside = (row: Row): boolean => row.flags !== undefined && row.flags.includes("aside");

const isDrawn = (tree: SessionTree, row: Row, filter: TreeFilter): boolean => {
  switch (filter) {
    case "all":
      return true;
    case "default":
      return !isAside(row);
    case "no-tools":
      return !isAside(row) && row.role !== "toolResult" && row.role !== "bashExecution";
    case "user":
      return row.type === "message" && row.role === "user";
    case "labelled":
      return tree.labels.has(row.id);
  }
};

/** Drawn rows, and the node of each row of the tree; -1: not drawn. */
const pick = (tree: SessionTree, filter: TreeFilter): { rows: Row[]; nodeAt: Int32Array } => {
  const rows: Row[] = [];
  const nodeAt = numbers(tree.rows.length);
  tree.rows.forEach((row, at) => {
    if (!isDrawn(tree, row, filter)) return;
    nodeAt[at] = rows.length;
    rows.push(row);
  });
  return { rows, nodeAt };
};

export const drawTree = (tree: SessionTree, filter: TreeFilter = "default"): DrawnTree => {
  const { rows, nodeAt } = pick(tree, filter);
  const nodeOf: NodeIndex = {
    get: (id) => {
      const node = nodeAt[tree.indexOf(id)] ?? -1;
      return node < 0 ? undefined : node;
    },
  };
  const parent = numbers(rows.length);
  const firstChild = numbers(rows.length);
  const nextSibling = numbers(rows.length);
  const lastChild = numbers(rows.length);
  const children = new Int32Array(rows.length);
  const roots: number[] = [];
  rows.forEach((row, node) => {
    // Most entries hang at the one before them: that needs no looking up.
    const above = rows[node - 1]?.id === row.parentId ? node - 1 : drawnAt(tree, nodeOf, row.parentId);
    parent[node] = above;
    if (above < 0) {
      roots.push(node);
      return;
    }
    const last = lastChild[above] ?? -1;
    if (last < 0) firstChild[above] = node;
    else nextSibling[last] = node;
    lastChild[above] = node;
    children[above] = (children[above] ?? 0) + 1;
  });
  const shape = { rows, nodeOf, parent, firstChild, nextSibling, children, roots };
  return { ...shape, order: orderOf(shape) };
};

/** The node that stands for an entry: its own, or the nearest one above it that is drawn; -1 when there is none. */
export const drawnAt = (tree: SessionTree, nodeOf: NodeIndex, entry: EntryId | null): number => {
  for (let at = entry; at !== null; at = tree.get(at)?.parentId ?? null) {
    const node = nodeOf.get(at);
    if (node !== undefined) return node;
  }
  return -1;
};

const orderOf = (tree: Omit<DrawnTree, "order">): Int32Array => {
  const order = numbers(tree.rows.length);
  let size = 0;
  for (const root of tree.roots) order[size++] = root;
  for (let at = 0; at < size; at += 1) {
    const node = order[at] ?? -1;
    for (let child = tree.firstChild[node] ?? -1; child >= 0; child = tree.nextSibling[child] ?? -1)
      order[size++] = child;
  }
  return order;
};
