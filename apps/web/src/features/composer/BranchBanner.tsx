import { GitBranch } from "lucide-react";
import { useSession, useShown } from "../../store/session-context.tsx";
import { uiStore } from "../../store/ui-store.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { branchName } from "../../view/item/branch-name.ts";
import styles from "./Composer.module.css";

/** Says where the next message will go, when that is not simply on from here. */
export const BranchBanner = () => {
  const { show, actions } = useShown();
  const session = useSession((open) => open.session);
  const leafId = useSession((open) => open.view.leafId);
  if (!session) return null;
  const { tree } = session;
  if (leafId !== session.leafId)
    return (
      <div className={styles.banner} role="note">
        <Icon of={GitBranch} size={12} />
        <span>You read another branch. Sending goes on at its end.</span>
        <LinkButton onClick={() => show(null)}>Back to the current place</LinkButton>
      </div>
    );
  const below = tree.branches(leafId);
  if (below.length === 0) return null;
  const name = leafId === null ? "the start" : branchName(tree, leafId);
  const goBack = (): void => {
    const { leaving } = uiStore.getState();
    if (leaving !== null && leaving.at === leafId) {
      void actions.goBack(leaving.from);
      return;
    }
    // The newest way down from here is where one came from.
    let end = below.at(-1) ?? null;
    for (let next = end; next !== null; next = tree.branches(next).at(-1) ?? null) end = next;
    void actions.goTo(end).then(() => show(null));
  };
  return (
    <div className={styles.banner} role="note">
      <Icon of={GitBranch} size={12} />
      <span>
        Sending starts a new branch from{" "}
        <b>{name.length > 60 ? `${name.slice(0, 60).toWellFormed()}\u2026` : name}</b>
      </span>
      <LinkButton onClick={goBack}>Cancel</LinkButton>
    </div>
  );
};
