/** One measured figure. `floor` is what the bare minimum took in the same run, in the same unit; `ratio` = value / floor. */
export interface Line {
  readonly bench: string;
  readonly value: number;
  readonly unit: "ms" | "us" | "MB" | "kB" | "%";
  readonly floor?: number;
  readonly ratio?: number;
  /** How many single measurements the figure is made of. */
  readonly n: number;
}

const rounded = (value: number): number => Number(value.toPrecision(4));

export const line = (bench: string, value: number, unit: Line["unit"], n: number, floor?: number): Line => ({
  bench,
  value: rounded(value),
  unit,
  ...(floor === undefined ? {} : { floor: rounded(floor), ratio: rounded(value / floor) }),
  n,
});

export type Bench = () => Promise<readonly Line[]>;
