import type { SessionTree } from "@espalier/core";
import type { Approval, EntryId, ToolProgress, ToolUse } from "@espalier/protocol";
import { createContext, useContext } from "react";
import type { Folders } from "./format.ts";

type Decision = "once" | "workspace" | "deny";

/** What a person can do with an item; absent: the button is not there (a shared file, a preview). */
interface ItemActions {
  /** The whole text of a block whose head alone was sent. Index as in the entry's content. */
  readonly blockText?: (entry: EntryId, index: number) => Promise<string>;
  readonly blockImage?: (entry: EntryId, index: number) => Promise<Blob>;
  readonly branchFrom?: (entry: EntryId) => void;
  /** Makes an entry the session's place; a person's message is given back to the composer, to be written anew. */
  readonly goHere?: (entry: EntryId) => void;
  readonly bookmark?: (entry: EntryId) => void;
  /** Makes a session of the path to an entry. */
  readonly fork?: (entry: EntryId) => void;
  /** Sends `text` in place of a user message, as its sibling. */
  readonly resend?: (entry: EntryId, text: string) => Promise<void>;
  /** Shows two branches beside each other. */
  readonly compare?: (a: EntryId, b: EntryId) => void;
  /** Shows the path through an entry; nothing is written. */
  readonly read?: (entry: EntryId) => void;
  readonly answer?: (approval: Approval, decision: Decision) => void;
  /** Looks into a compaction: what it put away, and what stands for it. */
  readonly inspect?: (compaction: EntryId) => void;
  /** Runs a call that came to nothing again, as a message on a new branch. */
  readonly runAgain?: (use: ToolUse) => void;
}

/** What items need to know beside their own content. */
export interface ViewFacts extends ItemActions {
  readonly folders: Folders;
  readonly tree: SessionTree | null;
  /** Changes with every row added to `tree`. */
  readonly treeVersion: number;
  /** The user message that is edited in place. */
  readonly editing: EntryId | null;
  readonly setEditing: (entry: EntryId | null) => void;
}

const nothing: ViewFacts = {
  folders: [],
  tree: null,
  treeVersion: 0,
  editing: null,
  setEditing: () => undefined,
};

export const ViewContext = createContext<ViewFacts>(nothing);
export const useView = (): ViewFacts => useContext(ViewContext);

/** Calls that are running or waiting. Apart from the other facts: it changes many times a second. */
export interface LiveCalls {
  readonly tools: ReadonlyMap<string, ToolProgress>;
  readonly approvals: readonly Approval[];
  /** The step whose calls an open run is working through: one without a result is not lost, its turn comes. */
  readonly openStep: EntryId | null;
}

export const LiveContext = createContext<LiveCalls>({ tools: new Map(), approvals: [], openStep: null });
export const useLive = (): LiveCalls => useContext(LiveContext);
