import { useStore } from "zustand";
import { keepUi, uiStore } from "../../store/ui-store.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import { Kbd, MODIFIER as mod } from "../../ui/Kbd.tsx";
import styles from "./Help.module.css";

const GROUPS: readonly { title: string; keys: readonly (readonly [keys: string, says: string])[] }[] = [
  {
    title: "Everywhere",
    keys: [
      [`${mod} K`, "command palette"],
      ["?", "this page"],
      ["/", "write a message"],
      [`${mod} .`, "stop the run"],
      ["Esc Esc", "stop the run; when nothing runs, go to the tree"],
      [`${mod} \\`, "show or hide the rail"],
      [`${mod} Alt \\`, "show or hide the inspector"],
      ["g t", "go to the transcript"],
      ["g m", "go to the map"],
      ["g s", "go to the sessions"],
    ],
  },
  {
    title: "Composer",
    keys: [
      ["Enter", "send; while a run works: queue"],
      [`${mod} Enter`, "steer the run now"],
      ["Shift Enter", "new line"],
      ["\u2191", "in an empty field: the last message again"],
      ["/  @  !", "commands, files, the shell"],
    ],
  },
  {
    title: "Transcript",
    keys: [
      ["j k", "next, previous item"],
      ["[ ]", "previous, next message of yours"],
      ["Shift \u2190 \u2192", "the branch before, after"],
      ["b", "branch from here"],
      ["e", "edit and resend"],
      ["y", "copy"],
      ["l", "label"],
      ["m", "bookmark"],
      ["r", "say how it ended: worked, failed, left"],
      ["o", "open or close all calls"],
      ["t", "open or close all thinking"],
      ["End", "latest"],
    ],
  },
  {
    title: "Tree",
    keys: [
      ["\u2191 \u2193", "row by row"],
      ["\u2192 \u2190", "open or into; close or out"],
      ["Enter", "read there"],
      ["Space", "mark for comparing"],
      ["c", "compare the two marked"],
      ["*", "open all beside it"],
      ["f", "find in tree"],
      ["1 2 3 4", "grain: runs, turns, tool groups, entries"],
    ],
  },
  {
    title: "Map",
    keys: [
      ["\u2190 \u2191 \u2192 \u2193", "from node to node"],
      ["Shift \u2190 \u2191 \u2192 \u2193", "move the map"],
      ["+ - 0", "closer, farther, all of it"],
      ["Enter", "go here"],
      ["b", "branch from here"],
      ["Space", "mark for comparing"],
      ["c", "compare the two marked"],
    ],
  },
];

/** Keys, and the switch that turns those of one letter off. */
export const HelpDialog = () => {
  const open = useStore(uiStore, (state) => state.help);
  const letterKeys = useStore(uiStore, (state) => state.letterKeys);
  return (
    <Dialog open={open} onClose={() => uiStore.setState({ help: false })} title="Keys" wide>
      <div className={styles.groups}>
        {GROUPS.map((group) => (
          <section key={group.title}>
            <h3 className={styles.title}>{group.title}</h3>
            <dl className={styles.keys}>
              {group.keys.map(([keys, says]) => (
                <div key={keys}>
                  <dt>
                    {keys
                      .split(" ")
                      .filter(Boolean)
                      .map((key, index) => (
                        // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
                        <Kbd key={index}>{key}</Kbd>
                      ))}
                  </dt>
                  <dd>{says}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label className={styles.letters}>
        <input
          type="checkbox"
          checked={letterKeys}
          onChange={(event) => keepUi({ letterKeys: event.target.checked })}
        />
        Keys of one letter work outside of text fields
      </label>
    </Dialog>
  );
};
