import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { dataFolder } from "../../../../testing/data-folder.ts";

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Names and kinds without values: what a server checks. Lists give the set of their elements' shapes. */
const shapesIn = (messages: unknown): Set<string> => {
  const shapes = new Set<string>();
  for (const message of Array.isArray(messages) ? messages : []) {
    if (!isRecord(message)) continue;
    const kind = String(message.type ?? message.role);
    for (const [key, value] of Object.entries(message)) {
      if (!Array.isArray(value)) shapes.add(`${kind}.${key}: ${typeof value}`);
      for (const part of Array.isArray(value) ? value : []) {
        if (isRecord(part))
          shapes.add(`${kind}.${key}[]: ${String(part.type)} {${Object.keys(part).sort().join(" ")}}`);
      }
    }
  }
  return shapes;
};

/**
 * Every part of our messages has a shape that some recorded request of this API had and a real server answered; `extra`
 * names the shapes the recordings happen to lack, each from the API's reference.
 */
export const requestShapeCase = (
  folder: string,
  key: "messages" | "input",
  ours: () => unknown,
  extra: readonly string[],
): void => {
  const root = dataFolder();
  it.skipIf(root === null)("has only shapes that recorded requests have", () => {
    const place = join(root ?? "", "wire", folder);
    const recorded = new Set<string>(extra);
    for (const name of readdirSync(place).filter((file) => file.endsWith(".request.json"))) {
      const body: Record<string, unknown> = JSON.parse(readFileSync(join(place, name), "utf8"));
      for (const shape of shapesIn(body[key])) recorded.add(shape);
    }
    const unknown = [...shapesIn(ours())].filter((shape) => !recorded.has(shape));
    expect(unknown).toEqual([]);
  });
};
