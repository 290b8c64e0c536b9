import type { EntryId, Outcome } from "@espalier/protocol";
import {
  BookOpen,
  Check,
  CircleSlash,
  CornerDownRight,
  Flag,
  GitBranch,
  GitCompare,
  Undo2,
  X,
} from "lucide-react";
import { useStore } from "zustand";
import { useSession } from "../../store/session-context.tsx";
import { uiStore } from "../../store/ui-store.ts";
import type { Glyph } from "../../ui/icons.tsx";
import { MenuItem, MenuLine } from "../../ui/Menu.tsx";
import { PointMenu } from "../../ui/PointMenu.tsx";
import { useNodeVerbs } from "./use-node-verbs.ts";

/** What a menu was asked for: an entry, and where on the screen. */
export interface NodeMenuAt {
  readonly entry: EntryId;
  readonly x: number;
  readonly y: number;
}

const OUTCOMES: readonly { readonly value: Outcome; readonly title: string; readonly icon: Glyph }[] = [
  { value: "worked", title: "It worked", icon: Check },
  { value: "failed", title: "It failed", icon: X },
  { value: "abandoned", title: "Left for good", icon: CircleSlash },
];

/** The verbs of a node of the tree: the same in map and outline. */
export const NodeMenu = ({ at, onClose }: { at: NodeMenuAt | null; onClose: () => void }) => {
  const verbs = useNodeVerbs();
  const marked = useStore(uiStore, (state) => state.marked);
  const outcome = useSession((open) => (at ? open.session?.tree.outcomes.get(at.entry)?.outcome : undefined));
  const entry = at?.entry;
  const other = marked.find((each) => each !== entry);
  return (
    <PointMenu at={at} onClose={onClose} label="This place in the tree">
      {entry !== undefined && (
        <>
          <MenuItem icon={CornerDownRight} onSelect={() => verbs.goHere(entry)}>
            Go here
          </MenuItem>
          <MenuItem icon={GitBranch} onSelect={() => verbs.branchFrom(entry)}>
            Branch from here
          </MenuItem>
          <MenuItem icon={BookOpen} onSelect={() => verbs.read(entry)}>
            Read in the transcript
          </MenuItem>
          <MenuLine />
          <MenuItem icon={GitCompare} meta="Space" onSelect={() => verbs.mark(entry)}>
            {marked.includes(entry) ? "Take the mark back" : "Mark for comparing"}
          </MenuItem>
          {other !== undefined && (
            <MenuItem icon={GitCompare} meta="c" onSelect={() => verbs.compare(other, entry)}>
              Compare with the marked place
            </MenuItem>
          )}
          <MenuLine />
          <MenuItem icon={Flag} onSelect={() => verbs.label(entry)}>
            Label
          </MenuItem>
          {OUTCOMES.map(({ value, title, icon }) => (
            <MenuItem key={value} icon={icon} onSelect={() => verbs.setOutcome(entry, value)}>
              {title}
            </MenuItem>
          ))}
          {outcome !== undefined && (
            <MenuItem icon={Undo2} onSelect={() => verbs.setOutcome(entry, null)}>
              Take the outcome back
            </MenuItem>
          )}
        </>
      )}
    </PointMenu>
  );
};
