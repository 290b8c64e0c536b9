import { useStore } from "zustand";
import { type InspectorTab, keepUi, uiStore } from "../../store/ui-store.ts";
import { TabPanel, Tabs } from "../../ui/Tabs.tsx";
import { ContextPane } from "./ContextPane.tsx";
import { EntryPane } from "./EntryPane.tsx";

const TABS: readonly { name: InspectorTab; title: string }[] = [
  { name: "context", title: "Context" },
  { name: "entry", title: "Entry" },
];

/** Beside the transcript: what the window holds, and the entry that is read. */
export const Inspector = () => {
  const tab = useStore(uiStore, (state) => state.inspectorTab);
  return (
    <Tabs label="Inspector" tabs={TABS} value={tab} onChange={(inspectorTab) => keepUi({ inspectorTab })}>
      <TabPanel name="context">
        <ContextPane />
      </TabPanel>
      <TabPanel name="entry">
        <EntryPane />
      </TabPanel>
    </Tabs>
  );
};
