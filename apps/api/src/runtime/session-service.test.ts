import { sessionCopiesCase } from "./session-copies.case.ts";
import { sessionMovesCase } from "./session-moves.case.ts";
import { sessionRunsCase } from "./session-runs.case.ts";
import { sessionServiceCase } from "./session-service.case.ts";

for (const kind of ["jsonl", "memory"] as const) {
  sessionServiceCase(kind);
  sessionRunsCase(kind);
  sessionCopiesCase(kind);
  sessionMovesCase(kind);
}
