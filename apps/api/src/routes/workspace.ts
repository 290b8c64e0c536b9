import {
  type FileList,
  type ModelList,
  ProviderKey,
  type ProviderKeyAnswer,
  Settings,
  type WorkspaceInfo,
} from "@espalier/protocol";
import { Hono } from "hono";
import { readBody } from "./read-body.ts";

/** What the page asks of models, settings and the folder; all of it may throw ProblemError. */
export interface WorkspaceService {
  models(): Promise<ModelList>;
  readSettings(): Promise<Settings>;
  writeSettings(settings: Settings): Promise<Settings>;
  /** Files and folders whose path fits `query`, best first; `session` chooses that session's folder. */
  files(query: string, session: string | undefined): Promise<FileList>;
  info(): Promise<WorkspaceInfo>;
  /** Keeps a provider's key on the server; the answer shows it masked. */
  setKey(provider: string, key: string): Promise<ProviderKeyAnswer>;
}

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
