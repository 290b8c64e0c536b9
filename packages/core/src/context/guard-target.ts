import type { ModelInfo } from "@espalier/protocol";

/** Who the request goes to. */
export interface GuardTarget {
  readonly provider: string;
  readonly api: string;
  readonly model: string;
  readonly input: ModelInfo["input"];
}

/** Everything the guard may do to a request. */
export type GuardChange =
  | "failed_step"
  | "missing_result"
  | "orphaned_result"
  | "malformed_call"
  | "wire_id"
  | "tool_name"
  | "foreign_thinking"
  | "unsigned_thinking"
  | "empty_text"
  | "empty_message"
  | "half_character"
  | "image"
  | "first_message";
