import styles from "./Segments.module.css";

interface SegmentsProps<Name extends string> {
  /** Accessible name of the choice. */
  label: string;
  choices: readonly { readonly name: Name; readonly title: string }[];
  value: Name;
  onChange: (name: Name) => void;
}

/** One of a few views that exclude each other. */
export const Segments = <Name extends string>({ label, choices, value, onChange }: SegmentsProps<Name>) => (
  <div className={styles.segments} role="group" aria-label={label}>
    {choices.map(({ name, title }) => (
      <button key={name} type="button" aria-pressed={name === value} onClick={() => onChange(name)}>
        {title}
      </button>
    ))}
  </div>
);
