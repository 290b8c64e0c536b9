/** What a verb may touch of its surroundings. `out` and `err` take whole pieces of text, line ends included. */
export interface VerbIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * One word of the command line. `run` resolves to the exit code: 0 done, 1 failed (one sentence on `err`), 2 wrong usage.
 * `argv` is what follows the verb.
 */
export interface Verb {
  readonly usage: string;
  readonly run: (argv: readonly string[], io: VerbIo) => Promise<number>;
}
