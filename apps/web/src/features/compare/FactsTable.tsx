import type { BranchReport, Comparison } from "@espalier/protocol";
import { Check, X } from "lucide-react";
import { Icon } from "../../ui/icons.tsx";
import { useMiddling } from "../../ui/use-media.ts";
import styles from "./Compare.module.css";
import { FACTS, type Fact, SIDES, type Side, standing } from "./compare-words.ts";
import { Tag } from "./Tag.tsx";

/** Where the two branches part: A leaves above, B goes straight on. */
const ForkPicture = ({ clay }: { clay: boolean }) => (
  <svg className={styles.fork} viewBox="0 0 60 110" width="60" height="110" aria-hidden="true">
    <path className={styles.wire} d="M0 81H16V61a14 14 0 0 1 14-14H52" />
    <path className={styles.wireHere} d="M0 81H52" />
    {clay && (
      <>
        <path className={styles.wireGap} d="M5 86l6-12" />
        <path className={styles.wireClay} d="M2 88l6-14M8 88l6-14" />
      </>
    )}
  </svg>
);

const CheckCell = ({ check }: Pick<BranchReport, "check">) =>
  check === null ? (
    <span className={styles.quiet}>none</span>
  ) : (
    <span className={check.failed ? styles.bad : styles.good} title={check.command}>
      <Icon of={check.failed ? X : Check} size={14} />
      {check.says}
    </span>
  );

const Value = ({ fact, mine, other }: { fact: Fact; mine: BranchReport; other: BranchReport }) => {
  const value = fact.show(fact.value(mine));
  const stands = standing(fact, mine, other);
  if (stands === "better") return <b>{value}</b>;
  return stands === "worse" && fact.name === "failed" ? <span className={styles.bad}>{value}</span> : value;
};

interface FactsProps {
  comparison: Comparison;
  names: Readonly<Record<Side, string>>;
  /** Where and when they parted. */
  place: string;
  clay: boolean;
}

/** Where ten columns have no room the branches are the columns. */
const TallFacts = ({ comparison, names }: FactsProps) => (
  <table className={styles.tall}>
    <thead>
      <tr>
        <td />
        {SIDES.map((side) => (
          <th key={side} scope="col" title={names[side]}>
            <span className={styles.tallName}>
              <Tag side={side} />
              <span className={styles.clip}>{names[side]}</span>
            </span>
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {FACTS.map((fact) => (
        <tr key={fact.name}>
          <th scope="row" title={fact.title}>
            {fact.name}
          </th>
          <td>
            <Value fact={fact} mine={comparison.a} other={comparison.b} />
          </td>
          <td>
            <Value fact={fact} mine={comparison.b} other={comparison.a} />
          </td>
        </tr>
      ))}
      <tr>
        <th scope="row">last check</th>
        {SIDES.map((side) => (
          <td key={side}>
            <CheckCell check={comparison[side].check} />
          </td>
        ))}
      </tr>
    </tbody>
  </table>
);

/** What both branches came to: two rows, each on its own drawn lane; the better value is heavier. */
export const FactsTable = (props: FactsProps) => {
  const { comparison, names, place, clay } = props;
  const tight = useMiddling();
  if (tight) return <TallFacts {...props} />;
  return (
    <div className={styles.factsBox}>
      <ForkPicture clay={clay} />
      <table className={styles.facts}>
        <thead>
          <tr>
            <th scope="col" className={styles.place}>
              {place}
            </th>
            {FACTS.map(({ name, title }) => (
              <th key={name} scope="col" title={title}>
                {name}
              </th>
            ))}
            <th scope="col" className={styles.check} title="The last command that tests, builds or checks">
              last check
            </th>
          </tr>
        </thead>
        <tbody>
          {SIDES.map((side) => (
            <tr key={side}>
              <th scope="row" className={styles.branch} title={names[side]}>
                <span className={styles.branchName}>
                  <Tag side={side} />
                  <span className={styles.clip}>{names[side]}</span>
                </span>
              </th>
              {FACTS.map((fact) => (
                <td key={fact.name}>
                  <Value fact={fact} mine={comparison[side]} other={comparison[side === "a" ? "b" : "a"]} />
                </td>
              ))}
              <td className={styles.check}>
                <CheckCell check={comparison[side].check} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
