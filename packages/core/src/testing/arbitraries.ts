import type { AssistantContent, Entry, EntryDraft, SessionHeader, StopReason } from "@espalier/protocol";
import { entryId, toolCallId } from "@espalier/protocol";
import fc from "fast-check";
import { makeEntry } from "../session/append-entry.ts";
import { NO_USAGE } from "./make-entries.ts";

/** Texts with everything that has broken a reader: line separators, quotes, NUL, characters of several bytes. */
export const anyText: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.constantFrom(
      "",
      " ",
      "\n",
      "a\u2028b\u2029c",
      "\r\n",
      "\u0000",
      '{"type":"session"}',
      "\\ud83d",
      "😀",
    ),
  )
  .map((text) => text.toWellFormed());

/** Few ids, so that they repeat, and some that no provider takes. */
const anyCallId = fc.constantFrom(
  "t1",
  "t2",
  "functions.eval:301",
  "call|fc",
  "x".repeat(80),
  "call-x\nfc_y",
);

const anyCall: fc.Arbitrary<AssistantContent> = fc.record({
  type: fc.constant("toolCall" as const),
  id: anyCallId.map(toolCallId),
  name: fc.constantFrom("read", "bash", "no such tool"),
  arguments: fc.dictionary(fc.string({ maxLength: 8 }), fc.oneof(anyText, fc.integer(), fc.constant(null)), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
});
const anyBlock: fc.Arbitrary<AssistantContent> = fc.oneof(
  anyCall,
  fc.record({ type: fc.constant("text" as const), text: anyText }),
  fc.record({
    type: fc.constant("thinking" as const),
    thinking: anyText,
    thinkingSignature: fc.constantFrom("", "signed"),
  }),
);
const stopReason = fc.constantFrom<StopReason>("stop", "toolUse", "length", "error", "aborted");

type At = (id: string) => string;
type MakeDraft = (at: At, time: number) => EntryDraft;

const someone = fc.nat();
/** One draft of any type; `at` turns a number into the id of an entry that is there. */
const anyDraft: fc.Arbitrary<MakeDraft> = fc.oneof(
  {
    weight: 3,
    arbitrary: anyText.map(
      (content): MakeDraft =>
        (_, timestamp) => ({ type: "message", message: { role: "user", content, timestamp } }),
    ),
  },
  {
    weight: 5,
    arbitrary: fc
      .record({
        content: fc.array(anyBlock, { maxLength: 4 }),
        stop: stopReason,
        model: fc.constantFrom("m", "n"),
        measured: fc.constantFrom(0, 0, 700),
      })
      .map(
        ({ content, stop, model, measured }): MakeDraft =>
          (_, timestamp) => ({
            type: "message",
            message: {
              role: "assistant",
              content,
              api: "anthropic-messages",
              provider: "p",
              model,
              usage: { ...NO_USAGE, totalTokens: measured },
              stopReason: stop,
              timestamp,
            },
          }),
      ),
  },
  {
    weight: 6,
    arbitrary: fc.record({ id: anyCallId, text: anyText, isError: fc.boolean() }).map(
      ({ id, text, isError }): MakeDraft =>
        (_, timestamp) => ({
          type: "message",
          message: {
            role: "toolResult",
            toolCallId: toolCallId(id),
            toolName: "read",
            content: [{ type: "text", text }],
            isError,
            timestamp,
          },
        }),
    ),
  },
  anyText.map(
    (command): MakeDraft =>
      (_, timestamp) => ({
        type: "message",
        message: {
          role: "bashExecution",
          command,
          output: command,
          cancelled: false,
          truncated: false,
          timestamp,
        },
      }),
  ),
  anyText.map(
    (text): MakeDraft =>
      (_, timestamp) => ({ type: "message", message: { role: "system", content: text, timestamp } }),
  ),
  fc.tuple(someone, anyText).map(
    ([kept, summary]): MakeDraft =>
      (at) => ({
        type: "compaction",
        summary,
        firstKeptEntryId: at(String(kept)),
        tokensBefore: kept,
      }),
  ),
  fc.tuple(someone, anyText).map(
    ([from, summary]): MakeDraft =>
      (at) => ({ type: "branch_summary", fromId: at(String(from)), summary }),
  ),
  fc.tuple(someone, fc.option(anyText)).map(
    ([target, content]): MakeDraft =>
      (at) => ({
        type: "context_edit",
        targetId: entryId(at(String(target))),
        replacement: content === null ? null : { content },
      }),
  ),
  fc.tuple(someone, anyText).map(
    ([target, label]): MakeDraft =>
      (at) => ({ type: "label", targetId: entryId(at(String(target))), label }),
  ),
  anyText.map(
    (name): MakeDraft =>
      () => ({ type: "session_info", name }),
  ),
  anyText.map(
    (content): MakeDraft =>
      () => ({ type: "custom_message", customType: "note", content, display: true }),
  ),
  fc.constantFrom("espalier.position", "plan").map(
    (customType): MakeDraft =>
      () => ({ type: "custom", customType, data: { v: 1 } }),
  ),
  fc.constant<MakeDraft>(() => ({ type: "model_change", provider: "p", modelId: "m" })),
  fc.constant<MakeDraft>(() => ({ type: "thinking_level_change", thinkingLevel: "high" })),
);

export interface AnySession {
  readonly header: SessionHeader;
  readonly entries: readonly Entry[];
}

/** Sessions of every shape that files can have: chains, combs, several roots, calls without results and results without calls. */
export const anySession = (maxLength = 40): fc.Arbitrary<AnySession> =>
  fc
    .array(
      fc.record({
        draft: anyDraft,
        parent: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.nat(12), fc.constant(-1)),
      }),
      {
        maxLength,
      },
    )
    .map((parts) => {
      const entries: Entry[] = [];
      for (const [index, { draft, parent }] of parts.entries()) {
        const at: At = (number) => entries[Number(number) % Math.max(1, entries.length)]?.id ?? "nobody";
        // 0: under the last one; more: further back; -1 or too far: a new root.
        const above = parent < 0 ? undefined : entries[entries.length - 1 - parent];
        const time = Date.UTC(2026, 0, 1) + index * 1000;
        entries.push(
          makeEntry(draft(at, time), { id: entryId(`e${index}`), parentId: above?.id ?? null, time }),
        );
      }
      return {
        header: { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" },
        entries,
      };
    });

/** Damage to bytes: bits turned over, pieces cut out, doubled, put in or moved. */
export const anyDamage: fc.Arbitrary<(bytes: Uint8Array) => Uint8Array> = fc
  .array(
    fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.nat(200),
      kind: fc.constantFrom("flip", "cut", "double", "zeros", "newline", "swap"),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map(
    (hits) => (bytes) =>
      hits.reduce((damaged, hit) => damageOnce(damaged, hit.at, hit.length, hit.kind), bytes),
  );

const damageOnce = (bytes: Uint8Array, at: number, length: number, kind: string): Uint8Array => {
  const from = Math.floor(at * bytes.length);
  const [before, piece, after] = [
    bytes.subarray(0, from),
    bytes.subarray(from, from + length),
    bytes.subarray(from + length),
  ];
  const glue = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));
  switch (kind) {
    case "flip":
      return bytes.map((byte, index) => (index === from ? byte ^ (1 << (length % 8)) : byte));
    case "cut":
      return glue(before, after);
    case "double":
      return glue(before, piece, piece, after);
    case "zeros":
      return glue(before, new Uint8Array(length), after);
    case "newline":
      return glue(before, new Uint8Array([0x0a]), piece, after);
    default:
      return glue(piece, before, after);
  }
};
