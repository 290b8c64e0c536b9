import { type Static, Type } from "@sinclair/typebox";

/** Every expected failure has one of these codes; `apps/api/src/routes` maps them to HTTP status in one place. */
export const ProblemCode = Type.Union([
  Type.Literal("bad_request"),
  Type.Literal("bad_command"),
  Type.Literal("not_found"),
  Type.Literal("conflict"),
  Type.Literal("busy"),
  Type.Literal("unauthorized"),
  Type.Literal("forbidden"),
  Type.Literal("foreign_host"),
  Type.Literal("unsupported_media"),
  Type.Literal("too_large"),
  Type.Literal("too_many"),
  Type.Literal("not_a_session"),
  Type.Literal("session_changed"),
  Type.Literal("read_only"),
  Type.Literal("disk_full"),
  Type.Literal("io"),
  Type.Literal("no_model"),
  Type.Literal("no_key"),
  Type.Literal("provider_auth"),
  Type.Literal("provider_rate_limit"),
  Type.Literal("provider_overloaded"),
  Type.Literal("provider_overflow"),
  Type.Literal("provider_quota"),
  Type.Literal("provider_rejected"),
  Type.Literal("provider_network"),
  Type.Literal("provider_stream"),
  Type.Literal("folder_missing"),
  Type.Literal("nothing_to_do"),
  Type.Literal("internal"),
]);
export type ProblemCode = Static<typeof ProblemCode>;

/** `message` names the thing and what to do, in one sentence for a person. */
export const Problem = Type.Object({
  code: ProblemCode,
  message: Type.String(),
  detail: Type.Optional(Type.Unknown()),
});
export type Problem = Static<typeof Problem>;
