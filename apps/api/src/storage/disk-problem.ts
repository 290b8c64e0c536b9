import { ProblemError, type problemOf } from "@espalier/core";

type Code = ReturnType<typeof problemOf>["code"];

const CODES: Readonly<Record<string, Code>> = {
  ENOSPC: "disk_full",
  EDQUOT: "disk_full",
  EACCES: "read_only",
  EPERM: "read_only",
  EROFS: "read_only",
  ENOENT: "not_found",
};

const REASONS: Partial<Readonly<Record<Code, string>>> = {
  disk_full: "there is no space left on the disk",
  read_only: "it may not be written",
  not_found: "it is not there",
};

/** What the system's own code of an error is, if it has one. */
export const systemCode = (error: unknown): string | null =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;

/** An error of the disk as a problem a person can act on; a ProblemError stays what it is. `what` names the deed and the file. */
export const diskProblem = (error: unknown, what: string): ProblemError => {
  if (error instanceof ProblemError) return error;
  const code = CODES[systemCode(error) ?? ""] ?? "io";
  const reason = REASONS[code] ?? (error instanceof Error ? error.message : String(error));
  return new ProblemError(code, `${what} failed: ${reason}.`, { cause: error });
};
