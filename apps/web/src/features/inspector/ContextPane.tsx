import type { SessionTree } from "@espalier/core";
import type { ContextUse, Row } from "@espalier/protocol";
import { FileText, MessageSquare, Scissors, UserRound } from "lucide-react";
import { useSession, useShown } from "../../store/session-context.tsx";
import { useFolders } from "../../store/use-folders.ts";
import { useWindow } from "../../store/use-window.ts";
import type { PathFacts } from "../../store/window-history.ts";
import { Button } from "../../ui/Button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { FoldedLeafGlyph, type Glyph, Icon, NotchGlyph } from "../../ui/icons.tsx";
import { count, withoutFolder } from "../../view/format.ts";
import { kindOfTool, TOOL_ICONS } from "../../view/tool/tool-look.ts";
import styles from "./Inspector.module.css";
import { WindowChart } from "./WindowChart.tsx";

interface Share {
  readonly title: string;
  readonly note?: string;
  readonly tokens: number;
  readonly look: string;
}

const summaryTitle = ({ compactions, branches }: PathFacts): string => {
  if (compactions === 0) return "Summaries of branches";
  return branches === 0 ? `Summary of compaction ${compactions}` : "Summaries";
};

/** The window by kind. The kinds are estimates, the sum is measured where a provider told: what lies between has its own line. */
const sharesOf = (context: ContextUse, facts: PathFacts): Share[] => {
  const known: Share[] = [
    { title: "System and tools", tokens: context.system, look: "system" },
    { title: summaryTitle(facts), tokens: context.summary, look: "summary" },
    { title: "Your messages", tokens: context.user, look: "you" },
    { title: "Assistant", tokens: context.assistant, look: "answer" },
    { title: "Tool results", tokens: context.toolResults, look: "results" },
  ].filter(({ tokens }) => tokens > 0);
  const rest = context.tokens - known.reduce((sum, { tokens }) => sum + tokens, 0);
  if (rest > 0)
    known.push({ title: "Not broken down", note: "measured minus estimated", tokens: rest, look: "rest" });
  if (rest < 0)
    known.push({ title: "Estimated too much", note: "measured minus estimated", tokens: rest, look: "over" });
  return known;
};

const percent = (part: number, whole: number): string =>
  `${whole > 0 ? Math.round((part / whole) * 100) : 0}%`;

const Ledger = ({
  context,
  facts,
  estimated,
}: {
  context: ContextUse;
  facts: PathFacts;
  estimated: boolean;
}) => {
  const shares = sharesOf(context, facts);
  const drawn = shares.filter(({ tokens }) => tokens > 0);
  const whole = Math.max(
    1,
    context.window,
    drawn.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  return (
    <section>
      <div className={styles.sum}>
        <span className={styles.big}>{count(context.tokens)}</span>
        <span className={styles.of}>
          {context.window > 0 ? `of ${count(context.window)} tokens` : "tokens"}
          {estimated && ", estimated"}
        </span>
        <span className={styles.grow} />
        {context.window > 0 && (
          <span className={styles.small}>{percent(context.tokens, context.window)}</span>
        )}
      </div>
      <div className={styles.meter} aria-hidden="true">
        {drawn.map((share) => (
          <span
            key={share.look}
            className={styles[share.look]}
            style={{ width: `${(share.tokens / whole) * 100}%` }}
          />
        ))}
      </div>
      <table className={styles.ledger}>
        <tbody>
          {shares.map((share) => (
            <tr key={share.look}>
              <td>
                <span className={classNames(styles.swatch, styles[share.look])} />
                {share.title}
                {share.note !== undefined && <span className={styles.shareNote}>{share.note}</span>}
              </td>
              <td>{count(share.tokens)}</td>
              <td>{percent(share.tokens, context.tokens)}</td>
            </tr>
          ))}
          {context.window > 0 && (
            <tr className={styles.total}>
              <td>Free</td>
              <td>{count(Math.max(0, context.window - context.tokens))}</td>
              <td />
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
};

const iconOf = (row: Row): Glyph => {
  if (row.type === "compaction") return NotchGlyph;
  if (row.type === "branch_summary") return FoldedLeafGlyph;
  if (row.role === "toolResult") return TOOL_ICONS[kindOfTool(row.name ?? "")];
  if (row.role === "user") return UserRound;
  return row.role === "assistant" ? MessageSquare : FileText;
};

/** What a row is about. The row of a step with one call begins with that call's name and subject. */
const aboutRow = (
  row: Row,
  tree: SessionTree,
  folders: readonly string[],
  compactions: number,
): { text: string; code: boolean } => {
  if (row.type === "compaction") return { text: `Summary of compaction ${compactions}`, code: false };
  if (row.role === "system") return { text: "System prompt", code: false };
  const call = row.role === "toolResult" && row.parentId !== null ? tree.get(row.parentId)?.line : undefined;
  const name = `${row.name ?? ""} `;
  if (call?.startsWith(name)) return { text: withoutFolder(call.slice(name.length), folders), code: true };
  return { text: withoutFolder(row.line ?? row.name ?? row.type, folders), code: false };
};

const Heaviest = ({ facts, tree }: { facts: PathFacts; tree: SessionTree }) => {
  const { show } = useShown();
  const folders = useFolders();
  return (
    <section>
      <h2 className={styles.eyebrow}>Heaviest in the window</h2>
      <ul className={styles.heavy}>
        {facts.heaviest.map((row) => {
          const about = aboutRow(row, tree, folders, facts.compactions);
          return (
            <li key={row.id}>
              <button type="button" onClick={() => show(row.id)}>
                <Icon
                  of={iconOf(row)}
                  size={14}
                  className={row.type === "compaction" ? styles.clayInk : undefined}
                />
                {about.code ? (
                  <code className={styles.cut}>{about.text}</code>
                ) : (
                  <span className={styles.cut}>{about.text}</span>
                )}
                <span className={styles.number}>{count(row.tokens)}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
};

const Along = ({ facts }: { facts: PathFacts }) => (
  <section>
    <h2 className={styles.eyebrow}>The window along this path</h2>
    <WindowChart facts={facts} />
    <dl className={styles.facts}>
      <dt>Turns</dt>
      <dd>{count(facts.turns)}</dd>
      <dt>Tool calls</dt>
      <dd>
        {count(facts.calls)}
        {facts.failed > 0 && `, ${count(facts.failed)} failed`}
      </dd>
      <dt>Compactions</dt>
      <dd>{count(facts.compactions)}</dd>
    </dl>
  </section>
);

/** What the model's window holds on this path. */
export const ContextPane = () => {
  const { actions, showMode } = useShown();
  const tree = useSession((open) => open.session?.tree);
  const window = useWindow();
  if (!window || !tree) return null;
  const { context, path: facts, estimated } = window;
  return (
    <div className={styles.pane}>
      <Ledger context={context} facts={facts} estimated={estimated} />
      {facts.turns > 0 && (
        <Button icon={Scissors} className={styles.compact} onClick={() => void actions.compact("")}>
          Compact
        </Button>
      )}
      {facts.turns > 0 && (
        <Button className={styles.compact} onClick={() => showMode({ kind: "preview" })}>
          Preview compaction
        </Button>
      )}
      {facts.heaviest.length > 0 && <Heaviest facts={facts} tree={tree} />}
      {facts.points.length > 1 && <Along facts={facts} />}
    </div>
  );
};
