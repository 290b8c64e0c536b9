import type { CommandAnswer, Damage, EntryId } from "@espalier/protocol";
import { CircleAlert, FileX, HardDrive, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useServices } from "../../store/services.tsx";
import { useSession, useShown } from "../../store/session-context.tsx";
import { Button, LinkButton } from "../../ui/Button.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { plural } from "../../view/format.ts";
import { Strip } from "./Strip.tsx";
import styles from "./Strips.module.css";

/** Goes to the session that a command made. */
const useFollow = (): ((made: Promise<CommandAnswer | null>) => Promise<void>) => {
  const [, go] = useLocation();
  return async (made) => {
    const answer = await made;
    if (answer?.session !== undefined) go(`/s/${encodeURIComponent(answer.session)}`);
  };
};

/** Damage that costs its line; of the other kinds the entry is there. */
const isSkipped = ({ kind }: Damage): boolean =>
  kind === "malformed" || kind === "torn" || kind === "foreign_header";

/** Place among the rows of the entry at a damaged line, or of the last one before it: the first line is the header. */
const placeNear = (each: Damage, all: readonly Damage[]): number => {
  const skipped = all.filter((other) => isSkipped(other) && other.line < each.line).length;
  return each.line - 2 - skipped - (isSkipped(each) ? 1 : 0);
};

const DamageList = ({ damage }: { damage: readonly Damage[] }) => {
  const { show } = useShown();
  const rows = useSession((open) => open.session?.tree.rows);
  const near = (each: Damage): EntryId | null => rows?.[placeNear(each, damage)]?.id ?? null;
  return (
    <ul className={styles.details}>
      {damage.map((each, index) => {
        const id = near(each);
        return (
          // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
          <li key={index}>
            line {each.line}, {each.kind.replaceAll("_", " ")}: {each.detail}{" "}
            {id !== null && (
              <LinkButton onClick={() => show(id)}>
                {isSkipped(each) ? "Show the entry before it" : "Show the entry"}
              </LinkButton>
            )}
          </li>
        );
      })}
      <li>
        A copy without the damage can also be made with <code>npx espalier check FILE --repair OUT</code>.
        This file is never changed for it.
      </li>
    </ul>
  );
};

/** Lines of the file that could not be read as written, and the way out. */
export const DamageStrip = () => {
  const { actions } = useShown();
  const follow = useFollow();
  const damage = useSession((open) => open.session?.damage);
  const local = useSession((open) => open.facts?.epoch === "browser");
  const [open, setOpen] = useState(false);
  const [closed, setClosed] = useState<unknown>(null);
  if (!damage || damage.length === 0 || closed === damage) return null;
  const [first] = damage;
  const skipped = damage.filter(isSkipped).length;
  return (
    <>
      <Strip
        look="warn"
        icon={TriangleAlert}
        onClose={() => setClosed(damage)}
        actions={
          <>
            <LinkButton aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? "Hide" : "Show"}
            </LinkButton>
            {!local && <Button onClick={() => void follow(actions.repair())}>Save a repaired copy</Button>}
          </>
        }
      >
        {damage.length === 1 && first
          ? `Line ${first.line} of the session file: ${first.detail}`
          : `${plural(damage.length, "place")} of the session file could not be read as written, the first at line ${first?.line}`}
        {skipped > 0 && `; ${plural(skipped, "line")} skipped`}.
      </Strip>
      {open && <DamageList damage={damage} />}
    </>
  );
};

/** The file was replaced, cut or taken away while it was open here. */
export const LostStrip = () => {
  const { actions, client } = useShown();
  const follow = useFollow();
  const lost = useSession((open) => open.lost);
  if (lost === null) return null;
  const save = async (): Promise<void> => {
    const made = await actions.saveCopy();
    if (made) client.forgetLost();
    await follow(Promise.resolve(made));
  };
  const again = (): void => {
    client.forgetLost();
    void client.load();
  };
  return (
    <Strip
      look="error"
      icon={FileX}
      onClose={() => client.forgetLost()}
      actions={
        <>
          <Button onClick={() => void save()}>Save as a new session</Button>
          <Button look="quiet" onClick={again}>
            Open again
          </Button>
        </>
      }
    >
      {lost}
    </Strip>
  );
};

/** What another program wrote into this session. Our place is kept. */
export const ForeignStrip = () => {
  const { client, show } = useShown();
  const foreign = useSession((open) => open.foreign);
  const first = useSession((open) => open.firstForeign);
  if (foreign === 0) return null;
  return (
    <Strip
      look="info"
      icon={CircleAlert}
      onClose={() => client.forgetForeign()}
      actions={
        first !== null && (
          <LinkButton
            onClick={() => {
              client.forgetForeign();
              show(first);
            }}
          >
            Show
          </LinkButton>
        )
      }
    >
      {plural(foreign, "new entry", "new entries")} written by another program.
    </Strip>
  );
};

/** Hands bytes to the person as a file. */
const download = (bytes: Uint8Array<ArrayBuffer>, name: string): void => {
  const address = URL.createObjectURL(new Blob([bytes], { type: "application/x-ndjson" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
};

/** A file that was opened while the backend was away: it is in this browser only. */
export const LocalStrip = () => {
  const { api } = useServices();
  const { client } = useShown();
  const [, go] = useLocation();
  const id = useSession((open) => open.id);
  const local = useSession((open) => open.facts?.epoch === "browser");
  if (!local) return null;
  const said = (work: Promise<void>): void => {
    work.catch((error: unknown) =>
      showToast(error instanceof Error ? error.message : String(error), "error"),
    );
  };
  const save = async (): Promise<void> => download(await api.fileBytes(id), `${id}.jsonl`);
  const bring = async (): Promise<void> => {
    const made = await api.importLocal(id);
    if (made.id === id) await client.load();
    else go(`/s/${encodeURIComponent(made.id)}`, { replace: true });
  };
  return (
    <Strip
      look="info"
      icon={HardDrive}
      actions={
        <>
          <Button onClick={() => said(save())}>Download</Button>
          <Button onClick={() => said(bring())}>Import</Button>
        </>
      }
    >
      This session is in this browser only. Import it once the backend runs, or download it.
    </Strip>
  );
};
