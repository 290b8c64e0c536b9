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
