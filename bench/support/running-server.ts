import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TestHome } from "../../e2e/support/server.ts";
import { ensureBuilt } from "../../scripts/build.js";

interface RunningServer {
  readonly pid: number;
  readonly url: string;
  /** A link with a new one-time key; `path` is the page to come to. */
  readonly link: (path?: string) => Promise<string>;
  /** Posts JSON under /api as a program does; answers the parsed body. Throws on a status beyond 299. */
  readonly post: (path: string, body: unknown) => Promise<Record<string, unknown>>;
}

/** Gives `work` the real server over a home that `prepare` has filled, and stops it afterwards. */
export const withServer = async <Result>(
  prepare: (home: TestHome) => void,
  work: (server: RunningServer, home: TestHome) => Promise<Result>,
): Promise<Result> => {
  await ensureBuilt();
  const home = new TestHome();
  try {
    prepare(home);
    await home.start();
    const { url, token, pid } = JSON.parse(readFileSync(join(home.dataDir, "server.json"), "utf8")) as {
      url: string;
      token: string;
      pid: number;
    };
    const post = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
      const response = await fetch(`${url}/api${path}`, {
        method: "POST",
        headers: { "X-Espalier-Token": token, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      const answer = (await response.json()) as Record<string, unknown>;
      if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
      return answer;
    };
    const link = async (path = "/"): Promise<string> =>
      `${url}${path}#key=${String((await post("/key/mint", {})).key)}`;
    return await work({ pid, url, link, post }, home);
  } finally {
    await home.close();
  }
};
