import { FilePlus, FileText, Folder, Pencil, Search, Terminal, Wrench } from "lucide-react";
import type { Glyph } from "../../ui/icons.tsx";

/** How the calls of a tool are shown. */
export type ToolKind = "bash" | "edit" | "write" | "read" | "search" | "list" | "other";

const KINDS: Readonly<Record<string, ToolKind>> = {
  bash: "bash",
  powershell: "bash",
  edit: "edit",
  write: "write",
  read: "read",
  grep: "search",
  find: "search",
  ls: "list",
};

export const kindOfTool = (name: string): ToolKind =>
  Object.hasOwn(KINDS, name) ? (KINDS[name] ?? "other") : "other";

export const TOOL_ICONS: Readonly<Record<ToolKind, Glyph>> = {
  bash: Terminal,
  edit: Pencil,
  write: FilePlus,
  read: FileText,
  search: Search,
  list: Folder,
  other: Wrench,
};

/** Calls that only look: several in a row are folded to one line. */
export const onlyLooks = (kind: ToolKind): boolean => kind === "read" || kind === "search" || kind === "list";
