import { ProviderKey, Settings } from "@espalier/protocol";
import { Hono } from "hono";
import type { WorkspaceService } from "../runtime/workspace-service.ts";
import { readBody } from "./read-body.ts";

export const workspaceRoutes = (service: WorkspaceService): Hono => {
  const routes = new Hono();
  routes.get("/models", async (context) => context.json(await service.models()));
  routes.get("/settings", async (context) => context.json(await service.readSettings()));
  routes.put("/settings", async (context) =>
    context.json(await service.writeSettings(await readBody(context, Settings, 65_536))),
  );
  routes.get("/files", async (context) =>
    context.json(
      await service.files((context.req.query("q") ?? "").slice(0, 400), context.req.query("session")),
    ),
  );
  routes.get("/workspace", async (context) => context.json(await service.info()));
  routes.put("/providers/:id/key", async (context) => {
    const { key } = await readBody(context, ProviderKey, 65_536);
    return context.json(await service.setKey(context.req.param("id"), key));
  });
  return routes;
};
