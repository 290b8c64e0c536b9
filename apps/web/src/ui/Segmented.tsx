import styles from "./Segmented.module.css";

interface SegmentedProps<Value extends string> {
  label: string;
  choices: readonly { readonly value: Value; readonly title: string }[];
  value: Value;
  onChange: (value: Value) => void;
}

/** A few views that exclude each other, side by side. */
export const Segmented = <Value extends string>({
  label,
  choices,
  value,
  onChange,
}: SegmentedProps<Value>) => (
  <fieldset className={styles.group} aria-label={label}>
    {choices.map((choice) => (
      <button
        key={choice.value}
        type="button"
        aria-pressed={choice.value === value}
        onClick={() => onChange(choice.value)}
      >
        {choice.title}
      </button>
    ))}
  </fieldset>
);
