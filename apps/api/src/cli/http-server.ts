import { createServer, type RequestListener, type Server } from "node:http";

/** A server that takes only requests it can check: no address of another host in the request line, no upgrade. */
export const httpServer = (listener: RequestListener): Server => {
  const server = createServer(
    { maxHeaderSize: 32_768, requestTimeout: 120_000, headersTimeout: 20_000 },
    (request, response) => {
      // A request line with a whole address could name another host than the Host header that is checked.
      if (request.url?.startsWith("/") && !request.url.startsWith("//")) return listener(request, response);
      response.writeHead(400).end();
    },
  );
  server.on("upgrade", (_, socket) => socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n"));
  return server;
};

/** Ends when the last answer is out, or soon: an open stream must not hold the process. */
export const closeServer = (server: Server | null): Promise<void> =>
  new Promise((resolve) => {
    if (!server) return resolve();
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), 300).unref();
  });
