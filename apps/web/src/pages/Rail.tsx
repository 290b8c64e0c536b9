import { useStore } from "zustand";
import { SessionsPanel } from "../features/sessions/SessionsPanel.tsx";
import { TreePanel } from "../features/tree/TreePanel.tsx";
import { useSession } from "../store/session-context.tsx";
import { keepUi, type RailTab, uiStore } from "../store/ui-store.ts";
import { TabPanel, Tabs } from "../ui/Tabs.tsx";
import { useNewSession } from "./use-new-session.ts";

const TABS: readonly { name: RailTab; title: string }[] = [
  { name: "tree", title: "Tree" },
  { name: "sessions", title: "Sessions" },
];

/** Left of the transcript: the session's tree, and all sessions. */
export const Rail = ({ onOpened }: { onOpened?: () => void }) => {
  const tab = useStore(uiStore, (state) => state.railTab);
  const id = useSession((open) => open.id);
  const cwd = useSession((open) => open.facts?.folder.cwd);
  const newSession = useNewSession();
  const opened = onOpened ? { onOpened } : {};
  return (
    <Tabs label="Rail" tabs={TABS} value={tab} onChange={(railTab) => keepUi({ railTab })}>
      <TabPanel name="tree">
        <TreePanel {...opened} />
      </TabPanel>
      <TabPanel name="sessions">
        <SessionsPanel shown={id} onNew={() => void newSession(cwd)} {...opened} />
      </TabPanel>
    </Tabs>
  );
};
