import { useState } from "react";
import { useStore } from "zustand";
import type { LeftBranch } from "../../store/leaving.ts";
import { useSession, useShown } from "../../store/session-context.tsx";
import { keepUi, uiStore } from "../../store/ui-store.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { FoldedLeafGlyph, Icon } from "../../ui/icons.tsx";
import { plural } from "../../view/format.ts";
import styles from "./Composer.module.css";

const forget = (): void => uiStore.setState({ leaving: null });

const Offer = ({ left }: { left: LeftBranch }) => {
  const { actions } = useShown();
  const [focus, setFocus] = useState<string | null>(null);
  const [always, setAlways] = useState(false);
  const choose = (way: "nothing" | "summary"): void => {
    if (always) keepUi({ leaveWith: way });
    forget();
    if (way === "summary") void actions.tellOf(left, (focus ?? "").trim());
  };
  return (
    <fieldset className={styles.leave} aria-label="The branch you left">
      <Icon of={FoldedLeafGlyph} size={12} />
      <span>You left {plural(left.entries, "entry", "entries")}.</span>
      <LinkButton onClick={() => void actions.goBack(left.from)}>Undo</LinkButton>
      {left.ask && (
        <span className={styles.leaveWays}>
          <span>Tell of it here?</span>
          <LinkButton onClick={() => choose("nothing")}>No summary</LinkButton>
          <LinkButton onClick={() => choose("summary")}>Summary</LinkButton>
          {focus === null && <LinkButton onClick={() => setFocus("")}>Summary with focus</LinkButton>}
          <label className={styles.always}>
            <input type="checkbox" checked={always} onChange={(event) => setAlways(event.target.checked)} />
            always
          </label>
        </span>
      )}
      {focus !== null && (
        <textarea
          // The person asked for this field with a key or a click just now.
          ref={(area) => area?.focus()}
          className={styles.focus}
          aria-label="What the summary is to look at"
          placeholder="What it is to look at; Enter writes it"
          rows={2}
          value={focus}
          onChange={(event) => setFocus(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") setFocus(null);
            if (event.key !== "Enter" || event.shiftKey) return;
            event.preventDefault();
            choose("summary");
          }}
        />
      )}
    </fieldset>
  );
};

/** Asks, beside the way, what is to be told of a branch that was left. Whoever writes on has answered: nothing. */
export const LeaveOffer = () => {
  const left = useStore(uiStore, (state) => state.leaving);
  const leafId = useSession((open) => open.session?.leafId ?? null);
  const shown = useSession((open) => open.view.leafId);
  const isHere = useSession((open) => left !== null && (open.session?.tree.has(left.from) ?? false));
  if (left === null || !isHere || left.at !== leafId || shown !== leafId) return null;
  return <Offer key={left.from} left={left} />;
};
