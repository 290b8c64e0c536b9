import { runAt } from "@espalier/core";
import type { SessionId } from "@espalier/protocol";
import { type RefObject, useMemo } from "react";
import { useLocation } from "wouter";
import type { CommandPlace } from "../features/composer/commands.ts";
import type { FieldHandle } from "../features/composer/MessageField.tsx";
import type { PaletteAction } from "../features/palette/Palette.tsx";
import { useModels } from "../store/queries.ts";
import { useSession, useShown } from "../store/session-context.tsx";
import { keepUi, toggleFolds, uiStore } from "../store/ui-store.ts";
import { MODIFIER } from "../ui/Kbd.tsx";
import { showToast } from "../ui/toast-store.ts";
import type { PageKeys } from "./use-global-keys.ts";
import { useNewSession } from "./use-new-session.ts";

interface SessionControls {
  readonly newSession: () => void;
  readonly clone: () => void;
  /** What the composer's commands can reach outside of the session. */
  readonly place: Omit<CommandPlace, "actions" | "session" | "view">;
  readonly keys: PageKeys;
  readonly paletteActions: readonly PaletteAction[];
}

/** Tries for a moment: what is shown next may still be on its way. */
const focusIn = (selector: string, tries = 60): void => {
  requestAnimationFrame(() => {
    const found = document.querySelector<HTMLElement>(selector);
    if (found) found.focus();
    else if (tries > 0) focusIn(selector, tries - 1);
  });
};

/** Shows the tree, wherever it is on this page, and puts the focus there. */
const showTree = (): void => {
  keepUi({ railOpen: true, railTab: "tree" });
  uiStore.setState({ place: "tree" });
  focusIn('[role="tree"] [tabindex="0"]');
};

const findInTree = (): void => {
  keepUi({ railOpen: true, railTab: "tree" });
  uiStore.setState({ place: "tree" });
  focusIn('[data-shortcut="find-in-tree"]');
};

const toTranscript = (): void => {
  uiStore.setState({ place: "talk" });
  focusIn('[role="feed"]');
};

const toMap = (): void => {
  uiStore.setState({ place: "talk" });
  focusIn("[data-map]");
};

const FOCUS = { talk: toTranscript, map: toMap };

/** The rail; on a narrow page the tree's place, which stands for it. */
const toggleRail = (): void => {
  const { railOpen, place } = uiStore.getState();
  keepUi({ railOpen: !railOpen });
  uiStore.setState({ place: place === "tree" ? "talk" : "tree" });
};

const toggleInspector = (): void => {
  const { inspectorOpen, sheet } = uiStore.getState();
  keepUi({ inspectorOpen: !inspectorOpen });
  uiStore.setState({ sheet: sheet === "inspector" ? null : "inspector" });
};

const PANELS: readonly PaletteAction[] = [
  { name: "Go to the tree", keys: "Esc Esc", run: showTree },
  { name: "Find in tree", keys: "f", run: findInTree },
  { name: "Show or hide the rail", keys: `${MODIFIER} \\`, run: toggleRail },
  { name: "Show or hide the inspector", keys: `${MODIFIER} Alt \\`, run: toggleInspector },
  { name: "Open or close all calls", keys: "o", run: () => toggleFolds("tools") },
  { name: "Open or close all thinking", keys: "t", run: () => toggleFolds("thinking") },
];

/** What can be done with the session from its bars, keys, palette and composer: the same things, made once. */
export const useSessionControls = (field: RefObject<FieldHandle | null>): SessionControls => {
  const { client, actions, showMode } = useShown();
  const [, go] = useLocation();
  const startSession = useNewSession();
  const cwd = useSession((open) => open.facts?.folder.cwd);
  const models = useModels().data?.models;
  return useMemo(() => {
    const newSession = (): void => void startSession(cwd);
    const openSession = (id: SessionId): void => go(`/s/${encodeURIComponent(id)}`);
    const clone = (): void =>
      void actions.clone().then((answer) => {
        if (answer?.session !== undefined) openSession(answer.session as SessionId);
      });
    const stopIfRunning = (): boolean => {
      const { session, view } = client.store.getState();
      if (session === null || runAt(session, view.leafId) === null) return false;
      void actions.stop();
      return true;
    };
    const focusComposer = (): void => field.current?.focus();
    const show = (kind: "talk" | "map") => (): void => {
      showMode({ kind, at: client.store.getState().at });
      FOCUS[kind]();
    };
    return {
      newSession,
      clone,
      place: {
        models: models ?? [],
        newSession,
        openSession,
        showTree,
        help: () => uiStore.setState({ help: true }),
        say: (text) => showToast(text, "warn"),
      },
      keys: {
        focusComposer,
        stop: () => void stopIfRunning(),
        stopIfRunning,
        toTree: showTree,
        toTranscript: show("talk"),
        toMap: show("map"),
        toggleRail,
        toggleInspector,
        findInTree,
      },
      paletteActions: [
        { name: "Write a message", keys: "/", run: focusComposer },
        { name: "Show the map", keys: "g m", run: show("map") },
        { name: "New session in this folder", run: newSession },
        { name: "Stop the run", run: () => stopIfRunning() || showToast("Nothing is running.", "info") },
        { name: "Compact", run: () => void actions.compact("") },
        { name: "Clone this path to a new session", run: clone },
        ...PANELS,
      ],
    };
  }, [actions, client, cwd, field, go, models, showMode, startSession]);
};
