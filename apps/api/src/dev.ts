import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { createServer as createVite } from "vite";
import { composeServerParts } from "./compose.ts";
import { serverConfig } from "./config.ts";
import { version } from "./main.ts";

/** One process for development: the API from source, the page by Vite with its live reload, on one port. */
const config = serverConfig([...process.argv.slice(2), "--no-open"], process.env);
const parts = await composeServerParts(config, { version, webFolder: null });
const server = createServer();
const vite = await createVite({
  configFile: join(import.meta.dirname, "../../../vite.config.ts"),
  server: { middlewareMode: true, hmr: { server } },
  appType: "spa",
});
const api = getRequestListener(parts.app.fetch);
server.on("request", (request, response: ServerResponse) => {
  if (request.url?.startsWith("/api/")) void api(request, response);
  else vite.middlewares(request, response);
});
server.listen(config.port, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : config.port;
  parts.setPort(port);
  console.log(`Espalier (development) on http://127.0.0.1:${port}/#key=${parts.mint()}`);
});
const stop = async (): Promise<void> => {
  await parts.close(2000);
  await vite.close();
  server.closeAllConnections();
  process.exit(0);
};
process.once("SIGINT", () => void stop());
process.once("SIGTERM", () => void stop());
