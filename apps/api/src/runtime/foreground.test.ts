import { describe, expect, it } from "vitest";
import { Foreground } from "./foreground.ts";

describe("work that nobody waits for", () => {
  it("goes on when the last answer is given, also one that failed", async () => {
    const foreground = new Foreground();
    await foreground.idle();
    const done: string[] = [];
    const ends: (() => void)[] = [];
    const wait = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
    const first = foreground.during(wait);
    const second = foreground
      .during(async () => {
        await wait();
        throw new Error("no answer");
      })
      .catch(() => done.push("failed"));
    const idle = foreground.idle().then(() => done.push("idle"));
    ends[0]?.();
    await first;
    expect(done).toEqual([]);
    ends[1]?.();
    await second;
    await idle;
    expect(done).toContain("failed");
    expect(done).toContain("idle");
  });
});
