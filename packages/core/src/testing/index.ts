export { type AnySession, anyDamage, anySession, anyText } from "./arbitraries.ts";
export { bytesOf, checkContext, checkRequest, checkRows, checkSession } from "./check-session.ts";
export { type FakeAnswer, type FakeStep, fakeModel } from "./fake-model.ts";
export {
  type AssistantParts,
  assistant,
  call,
  chain,
  compaction,
  contextEdit,
  entry,
  NO_USAGE,
  result,
  user,
} from "./make-entries.ts";
