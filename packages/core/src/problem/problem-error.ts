import type { Problem, ProblemCode } from "@espalier/protocol";

/** Carries a `Problem` through code that can only throw; the edge (route, verb, loop) turns it back into a value. */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly detail: unknown;

  constructor(code: ProblemCode, message: string, options: { detail?: unknown; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ProblemError";
    this.code = code;
    this.detail = options.detail;
  }
}

/** The problem inside a thrown value; anything unexpected becomes `internal` with its message. */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof ProblemError) {
    const { code, message, detail } = error;
    return detail === undefined ? { code, message } : { code, message, detail };
  }
  return { code: "internal", message: error instanceof Error ? error.message : String(error) };
};
