import type { EntryId, Row } from "@espalier/protocol";
import type { SessionTree } from "../session/session-tree.ts";

/**
 * The entries that are drawn, as arrays: asides are left out and what hangs at one counts as its parent's. Nodes are numbered in
 * file order; -1 is no node. Children of a node stand in file order. O(n), no recursion.
 */
export interface DrawnTree {
  readonly rows: readonly Row[];
  readonly nodeOf: ReadonlyMap<EntryId, number>;
  readonly parent: Int32Array;
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  readonly children: Int32Array;
  readonly roots: readonly number[];
  /** Every node after its parent. */
  readonly order: Int32Array;
}

const numbers = (size: number): Int32Array => new Int32Array(size).fill(-1);

export const drawTree = (tree: SessionTree): DrawnTree => {
  const rows = tree.rows.filter((row) => !tree.isAside(row.id));
  const nodeOf = new Map(rows.map((row, node) => [row.id, node]));
  const parent = numbers(rows.length);
  const firstChild = numbers(rows.length);
  const nextSibling = numbers(rows.length);
  const lastChild = numbers(rows.length);
  const children = new Int32Array(rows.length);
  const roots: number[] = [];
  rows.forEach((row, node) => {
    const above = drawnParent(tree, row, nodeOf);
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

const drawnParent = (tree: SessionTree, row: Row, nodeOf: ReadonlyMap<EntryId, number>): number => {
  let at = row.parentId;
  while (at !== null) {
    const node = nodeOf.get(at);
    if (node !== undefined) return node;
    at = tree.get(at)?.parentId ?? null;
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
