import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";

/** What a model of this provider does with a request that holds so many tool results. */
export type Script = (results: number) => Answer;
type Answer =
  | { readonly call: { readonly name: string; readonly args: Readonly<Record<string, unknown>> } }
  /** Sent one by one, `everyMs` apart. */
  | { readonly tokens: readonly string[]; readonly everyMs: number; readonly sent?: (at: number) => void };

export interface Provider {
  /** What models.json takes as `baseUrl`. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

const chunk = (delta: unknown, finish: string | null): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const play = async (answer: Answer, at: number, response: ServerResponse): Promise<void> => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  if ("call" in answer) {
    const { name, args } = answer.call;
    const call = {
      index: 0,
      id: `call_${at}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    };
    response.end(
      `${chunk({ role: "assistant", tool_calls: [call] }, null)}${chunk({}, "tool_calls")}data: [DONE]\n\n`,
    );
    return;
  }
  for (const [index, content] of answer.tokens.entries()) {
    if (answer.everyMs > 0) await wait(answer.everyMs);
    answer.sent?.(index);
    response.write(chunk({ content }, null));
  }
  response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
};

/** An OpenAI-compatible provider on a loopback port that does what `script` says. */
export const startProvider = async (script: Script): Promise<Provider> => {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(parts).toString() || "{}") as { messages?: { role: string }[] };
      const results = (body.messages ?? []).filter(({ role }) => role === "tool").length;
      play(script(results), results, response).catch(() => response.destroy());
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/v1`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

/** A models.json that names this provider's model `bench/steps`. */
export const modelsFile = (url: string): string =>
  JSON.stringify({
    providers: {
      bench: {
        baseUrl: url,
        apiKey: "none",
        api: "openai-completions",
        models: [{ id: "steps", contextWindow: 1_000_000 }],
      },
    },
  });
