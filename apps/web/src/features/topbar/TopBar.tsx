import { runAt } from "@espalier/core";
import type { ContextUse } from "@espalier/protocol";
import {
  ChevronDown,
  Copy,
  Ellipsis,
  Folder,
  Gauge,
  GitBranch,
  Pencil,
  Plus,
  Search,
  SunMoon,
} from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { Link } from "wouter";
import { useModels } from "../../store/queries.ts";
import { useSession, useShown } from "../../store/session-context.tsx";
import { toggleTheme, uiStore } from "../../store/ui-store.ts";
import { useWindow } from "../../store/use-window.ts";
import { Button } from "../../ui/Button.tsx";
import { EspalierGlyph, Icon } from "../../ui/icons.tsx";
import { Kbd, MODIFIER } from "../../ui/Kbd.tsx";
import { Menu, MenuChoice, MenuHeading, MenuItem, MenuLine } from "../../ui/Menu.tsx";
import { copyText } from "../../view/copy-text.ts";
import { count, shortCount, shownPath } from "../../view/format.ts";
import { Place, PlaceItems, usePlace } from "./Place.tsx";
import { RenameDialog } from "./RenameDialog.tsx";
import styles from "./TopBar.module.css";

interface TopBarProps {
  onNew: () => void;
  onClone: () => void;
}

export const Brand = () => (
  <Link href="/" className={styles.brand} aria-label="Espalier, all sessions">
    <EspalierGlyph size={20} />
    Espalier
  </Link>
);

const FolderCrumb = ({ onNew }: { onNew: () => void }) => {
  const folder = useSession((open) => open.facts?.folder);
  const path = useSession((open) => open.facts?.path);
  if (!folder) return null;
  return (
    <Menu
      label="Folder"
      trigger={
        <button type="button" className={styles.crumb} title={folder.cwd}>
          <Icon of={Folder} size={14} />
          <span className={styles.clip}>{shownPath(folder.cwd)}</span>
          <Icon of={ChevronDown} size={12} />
        </button>
      }
    >
      <MenuItem icon={Plus} onSelect={onNew}>
        New session here
      </MenuItem>
      <MenuItem icon={Copy} onSelect={() => void copyText(folder.cwd)}>
        Copy folder
      </MenuItem>
      {path !== undefined && path !== "" && (
        <MenuItem icon={Copy} onSelect={() => void copyText(path)}>
          Copy path of the session file
        </MenuItem>
      )}
    </Menu>
  );
};

/** The session's name: given, else its first message. */
export const useTitle = (): string => {
  const tree = useSession((open) => open.session?.tree);
  const version = useSession((open) => open.session?.treeVersion);
  return useMemo(() => {
    if (!tree || version === undefined) return "";
    return tree.name ?? tree.rows.find((row) => row.role === "user")?.line ?? "New session";
  }, [tree, version]);
};

const TitleMenu = ({
  trigger,
  onRename,
  onNew,
  onClone,
  children,
}: TopBarProps & { trigger: ReactNode; onRename: () => void; children?: ReactNode }) => (
  <Menu label="Session" trigger={trigger}>
    <MenuItem icon={Pencil} onSelect={onRename}>
      Rename
    </MenuItem>
    <MenuItem icon={GitBranch} onSelect={onClone}>
      Clone this path
    </MenuItem>
    <MenuItem icon={Plus} onSelect={onNew}>
      New session
    </MenuItem>
    <MenuLine />
    <MenuItem icon={SunMoon} onSelect={toggleTheme}>
      Light or dark
    </MenuItem>
    {children}
  </Menu>
);

const WindowGauge = ({ context }: { context: ContextUse }) => {
  const share = context.window > 0 ? Math.min(1, context.tokens / context.window) : 0;
  // Of a model that is not in the catalogue the window is not known.
  const known = context.window > 0;
  const words = `${count(context.tokens)}${known ? ` of ${count(context.window)}` : ""} tokens`;
  return (
    <button
      type="button"
      className={styles.gauge}
      title={words}
      onClick={() => uiStore.setState({ inspectorOpen: true, inspectorTab: "context", sheet: "inspector" })}
    >
      <span className={styles.meter}>
        <span style={{ width: `${share * 100}%` }} data-full={share > 0.8 || undefined} />
      </span>
      {shortCount(context.tokens)}
      {known && ` of ${shortCount(context.window)}`}
      <span className="visually-hidden">tokens of the window in use</span>
    </button>
  );
};

/** The models that can be used now, as choices of a menu. */
const ModelChoices = () => {
  const { actions } = useShown();
  const model = useSession((open) => open.facts?.model ?? null);
  const running = useSession((open) => open.session && runAt(open.session, open.view.leafId)) !== null;
  const models = useModels();
  const ready = (models.data?.models ?? []).filter((each) => each.ready);
  return (
    <>
      <MenuHeading>{running ? "For the next request" : "Model"}</MenuHeading>
      {ready.map((each) => (
        <MenuChoice
          key={`${each.provider}/${each.id}`}
          chosen={model?.provider === each.provider && model.modelId === each.id}
          meta={`${each.provider}/${each.id}`}
          {...(each.note === undefined ? {} : { note: each.note })}
          onSelect={() => void actions.setModel(each)}
        >
          {each.name}
        </MenuChoice>
      ))}
      {ready.length === 0 && <MenuHeading>No model is ready. Connect one on the first page.</MenuHeading>}
    </>
  );
};

const ModelMenu = () => {
  const model = useSession((open) => open.facts?.model ?? null);
  return (
    <Menu
      label="Model"
      align="end"
      trigger={
        <button
          type="button"
          className={styles.crumb}
          aria-label={`Model: ${model ? `${model.provider}/${model.modelId}` : "no model"}`}
        >
          <span className={styles.clip}>{model ? model.modelId : "no model"}</span>
          <Icon of={ChevronDown} size={12} />
        </button>
      }
    >
      <ModelChoices />
    </Menu>
  );
};

/** The bar on top of a session: where it is, what it is called, which branch, how full, which model. */
export const TopBar = (props: TopBarProps) => {
  const title = useTitle();
  const context = useWindow()?.context;
  const [renaming, setRenaming] = useState(false);
  return (
    <header className={styles.bar}>
      <Brand />
      <FolderCrumb onNew={props.onNew} />
      <span className={styles.line} />
      <TitleMenu
        {...props}
        onRename={() => setRenaming(true)}
        trigger={
          <button type="button" className={styles.title} title={title}>
            <h1 className={styles.clip}>{title}</h1>
            <Icon of={ChevronDown} size={12} />
          </button>
        }
      />
      <Place look="chip" />
      <span className={styles.grow} />
      {context && <WindowGauge context={context} />}
      <span className={styles.line} />
      <ModelMenu />
      <Button look="quiet" onClick={() => uiStore.setState({ palette: true })}>
        <Icon of={Search} size={14} />
        <span className="visually-hidden">Command palette</span>
        <span className={styles.keys}>
          <Kbd>{MODIFIER}</Kbd>
          <Kbd>K</Kbd>
        </span>
      </Button>
      <RenameDialog open={renaming} name={title} onClose={() => setRenaming(false)} />
    </header>
  );
};

/** The same in two lines, for a narrow page. */
export const NarrowTopBar = (props: TopBarProps) => {
  const title = useTitle();
  const context = useWindow()?.context;
  const place = usePlace();
  const [renaming, setRenaming] = useState(false);
  return (
    <header className={styles.narrow}>
      <Link href="/" className={styles.home} aria-label="All sessions">
        <EspalierGlyph size={20} />
      </Link>
      <div className={styles.narrowText}>
        <h1 className={styles.narrowTitle}>{title}</h1>
        <div className={styles.narrowMeta}>
          {place && (
            <span className={styles.narrowPlace}>
              <Icon of={GitBranch} size={12} />
              <span className={styles.clip}>{place.name}</span>
            </span>
          )}
          {context && (
            <span>
              {shortCount(context.tokens)}
              {context.window > 0 && ` of ${shortCount(context.window)}`}
            </span>
          )}
        </div>
      </div>
      <TitleMenu
        {...props}
        onRename={() => setRenaming(true)}
        trigger={
          <button type="button" className={styles.more} aria-label="More">
            <Icon of={Ellipsis} />
          </button>
        }
      >
        <MenuItem
          icon={Gauge}
          onSelect={() => uiStore.setState({ inspectorTab: "context", sheet: "inspector" })}
        >
          What is in the window
        </MenuItem>
        <MenuItem icon={Search} onSelect={() => uiStore.setState({ palette: true })}>
          All commands
        </MenuItem>
        <MenuLine />
        <PlaceItems />
        <MenuLine />
        <ModelChoices />
      </TitleMenu>
      <RenameDialog open={renaming} name={title} onClose={() => setRenaming(false)} />
    </header>
  );
};
