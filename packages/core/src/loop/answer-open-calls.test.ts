import { describe, expect, it } from "vitest";
import { joinPath } from "../group/join-groups.ts";
import { assistant, chain, contextEdit, result, user } from "../testing/make-entries.ts";
import { answerOpenCalls } from "./answer-open-calls.ts";

const ids = (path: Parameters<typeof answerOpenCalls>[0]): unknown[] =>
  answerOpenCalls(path, 5).map((draft) =>
    draft.type === "message" && draft.message.role === "toolResult" ? draft.message.toolCallId : draft,
  );

describe("answerOpenCalls", () => {
  it("answers the calls at a path's end that have no result, in source order, as errors that may have run", () => {
    const path = chain(
      (p) => user("u", p),
      (p) => assistant("a", p, { text: "x", calls: ["one", "two", "three"] }),
      (p) => result("r", p, "two"),
    );
    expect(ids(path)).toEqual(["one", "three"]);
    expect(answerOpenCalls(path, 5)[0]).toMatchObject({
      message: {
        isError: true,
        content: [{ text: expect.stringContaining("may have run") as string }],
        timestamp: 5,
      },
    });
  });

  it("answers each of several calls with one id", () => {
    const path = chain(
      (p) => assistant("a", p, { text: "x", calls: ["same", "same", "same"] }),
      (p) => result("r", p, "same"),
    );
    expect(ids(path)).toEqual(["same", "same"]);
    expect(joinPath(path)).toHaveLength(1);
  });

  it("leaves alone what others have spoken behind, and what has all its results", () => {
    const open = (): ReturnType<typeof chain> =>
      chain((p) => assistant("a", p, { text: "x", calls: ["one"] }));
    expect(ids([...open(), user("u", "a")])).toEqual([]);
    expect(ids([...open(), result("r", "a", "one")])).toEqual([]);
    expect(ids([...open(), contextEdit("e", "a", "a")])).toEqual(["one"]);
    expect(ids([])).toEqual([]);
  });
});
