import type { SystemMessage, ToolSpec } from "@espalier/protocol";

/** A system prompt as the patches of a path add up to it. */
export interface SystemState {
  /** Free text, patches joined by a blank line. */
  readonly content: string;
  /** Named parts in the order in which they first came. */
  readonly sections: ReadonlyMap<string, string>;
  readonly tools: ReadonlyMap<string, ToolSpec>;
}

export const NO_SYSTEM: SystemState = { content: "", sections: new Map(), tools: new Map() };

const textOf = (content: SystemMessage["content"]): string =>
  typeof content === "string" ? content : content.map(({ text }) => text).join("");

/** One patch more: text is appended, sections patched by name (null removes), tools removed and then added. */
export const patchSystem = (state: SystemState, patch: SystemMessage): SystemState => {
  const text = textOf(patch.content);
  const sections = new Map(state.sections);
  for (const [name, section] of Object.entries(patch.sections ?? {})) {
    if (section === null) sections.delete(name);
    else sections.set(name, section);
  }
  const tools = new Map(state.tools);
  for (const { name } of patch.toolsRemoved ?? []) tools.delete(name);
  for (const tool of patch.toolsAdded ?? []) tools.set(tool.name, tool);
  const content = [state.content, text].filter((part) => part !== "").join("\n\n");
  return { content, sections, tools };
};

export const replaySystem = (patches: readonly SystemMessage[]): SystemState =>
  patches.reduce(patchSystem, NO_SYSTEM);

/** The prompt as a provider gets it: text, then sections, parted by blank lines. */
export const systemText = ({ content, sections }: SystemState): string =>
  [content, ...sections.values()].filter((part) => part.trim() !== "").join("\n\n");

/** The whole state as one message: what a compaction stores so that the prompt survives it. `timestamp` in epoch ms. */
export const systemCheckpoint = (
  { content, sections, tools }: SystemState,
  timestamp: number,
): SystemMessage => ({
  role: "system",
  content,
  ...(sections.size === 0 ? {} : { sections: Object.fromEntries(sections) }),
  timestamp,
  ...(tools.size === 0 ? {} : { toolsAdded: [...tools.values()] }),
});

/** What a request wants to say: its sections and its tools, both in order. */
export interface WantedSystem {
  readonly sections: Readonly<Record<string, string>>;
  readonly tools: readonly ToolSpec[];
}

/**
 * The patch that turns the replayed state into what the next request uses, so that it can be rebuilt from the file; null when
 * nothing differs. Text that older patches appended stays: the format has no way to take it back. `timestamp` in epoch ms.
 */
export const systemPatch = (
  state: SystemState,
  wanted: WantedSystem,
  timestamp: number,
): SystemMessage | null => {
  const sections: Record<string, string | null> = {};
  for (const name of state.sections.keys()) if (!Object.hasOwn(wanted.sections, name)) sections[name] = null;
  for (const [name, text] of Object.entries(wanted.sections)) {
    if (state.sections.get(name) !== text) sections[name] = text;
  }
  const names = new Set(wanted.tools.map(({ name }) => name));
  const removed = [...state.tools.keys()].filter((name) => !names.has(name)).map((name) => ({ name }));
  const added = wanted.tools.filter(
    (tool) => JSON.stringify(state.tools.get(tool.name)) !== JSON.stringify(tool),
  );
  if (Object.keys(sections).length + removed.length + added.length === 0) return null;
  return {
    role: "system",
    content: "",
    ...(Object.keys(sections).length === 0 ? {} : { sections }),
    timestamp,
    ...(added.length === 0 ? {} : { toolsAdded: added }),
    ...(removed.length === 0 ? {} : { toolsRemoved: removed }),
  };
};
