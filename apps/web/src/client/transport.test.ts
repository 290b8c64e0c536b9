import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fetchTransportTo } from "./fetch-transport.ts";
import { MemoryTransport } from "./memory-transport.ts";
import { type RigAnswer, type RigStream, type TransportRig, transportSuite } from "./transport.case.ts";
import type { TransportRequest } from "./transport.ts";

type Seen = Pick<TransportRequest, "method" | "path" | "headers" | "body">;

const never = new Promise<never>(() => undefined);
const soon = () => new Promise((resolve) => setTimeout(resolve, 1));

const memoryStream = (transport: MemoryTransport): RigStream => {
  const stream = transport.streams.at(-1);
  if (!stream) throw new Error("no stream was opened");
  return {
    write: (text) => stream.write(text),
    close: () => stream.close(),
    cut: () => stream.break(),
    left: async () => {
      while (stream.open) await soon();
    },
  };
};

const memoryRig = async (): Promise<TransportRig> => {
  const transport = new MemoryTransport();
  let answer: RigAnswer | null = { status: 200 };
  for (const method of ["GET", "POST", "PUT", "DELETE"] as const)
    transport.on(method, /./, () => answer ?? never);
  return {
    transport,
    seen: () => transport.requests,
    answer: (next) => {
      answer = next;
    },
    streamStatus: (status) => {
      transport.streamStatus = status;
    },
    stream: () => memoryStream(transport),
    goAway: async () => {
      answer = { status: 0 };
      transport.streamStatus = 0;
    },
    close: async () => undefined,
  };
};

const readRequest = async (request: IncomingMessage): Promise<Seen> => {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return {
    method: request.method as Seen["method"],
    path: request.url ?? "",
    headers: request.headers as Readonly<Record<string, string>>,
    ...(text === "" ? {} : { body: JSON.parse(text) as unknown }),
  };
};

const httpStream = (opened: readonly ServerResponse[]): RigStream => {
  const response = opened.at(-1);
  if (!response) throw new Error("no stream was opened");
  return {
    write: (text) => void response.write(text),
    close: () => void response.end(),
    cut: () => void response.destroy(),
    left: async () => {
      while (!response.destroyed) await soon();
    },
  };
};

/** A server on the loopback that answers as told; as long as nothing was told, with a stream. */
const httpRig = async (): Promise<TransportRig> => {
  const seen: Seen[] = [];
  let answer: RigAnswer | null | undefined;
  let status = 200;
  const opened: ServerResponse[] = [];
  const server = createServer((request, response) => {
    void readRequest(request).then((read) => {
      seen.push(read);
      if (answer === undefined) {
        opened.push(response);
        response.writeHead(status, { "Content-Type": "text/event-stream" }).flushHeaders();
      } else if (answer !== null) {
        response.writeHead(answer.status);
        response.end(answer.body === undefined ? "" : JSON.stringify(answer.body));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    transport: fetchTransportTo(`http://127.0.0.1:${port}`),
    seen: () => seen,
    answer: (next) => {
      answer = next;
    },
    streamStatus: (next) => {
      status = next;
    },
    stream: () => httpStream(opened),
    goAway: stop,
    close: stop,
  };
};

transportSuite("in memory", memoryRig);
transportSuite("fetch", httpRig);
