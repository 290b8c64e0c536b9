import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";

/** What the server does with one request. */
interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Written in this order, each as its own chunk. */
  readonly chunks: readonly (string | Uint8Array)[];
  /** "end" closes well, "cut" breaks the connection, "hold" keeps it open. */
  readonly then?: "end" | "cut" | "hold";
}

interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

export interface ScriptedServer {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** Queues answers; when none is left a request gets 500. */
  readonly answer: (...answers: ScriptedAnswer[]) => void;
  /** Resolves when the client has closed the connection of a held answer. */
  readonly hungUp: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const play = async (answer: ScriptedAnswer, response: ServerResponse): Promise<void> => {
  response.writeHead(answer.status ?? 200, { "content-type": "text/event-stream", ...answer.headers });
  response.flushHeaders();
  for (const chunk of answer.chunks) {
    response.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (answer.then === "hold") return;
  // A cut must come after what was written has left.
  if (answer.then === "cut") setTimeout(() => response.destroy(), 20);
  else response.end();
};

/** A provider on a loopback port that plays what a test scripted. For tests only; holds no model. */
export const startScriptedServer = async (): Promise<ScriptedServer> => {
  const queue: ScriptedAnswer[] = [];
  const seen: SeenRequest[] = [];
  let hangUp: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    hangUp = resolve;
  });
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body: Record<string, unknown> = JSON.parse(Buffer.concat(parts).toString() || "{}");
      seen.push({ path: request.url ?? "", headers: request.headers, body });
      const answer = queue.shift() ?? { status: 500, chunks: ["no answer left"] };
      if (answer.then === "hold") response.on("close", hangUp);
      play(answer, response).catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    answer: (...answers) => queue.push(...answers),
    hungUp: () => gone,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
