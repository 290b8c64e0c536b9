import { Command, ImportBody, NewSession, sessionId } from "@espalier/protocol";
import { Hono } from "hono";
import type { SessionService } from "../runtime/session-service.ts";
import { entryParam, numberQuery, readBody, sessionParam } from "./read-body.ts";

const MEGABYTE = 1024 * 1024;

/** Sessions and what is in them. */
export const sessionRoutes = (service: SessionService): Hono => {
  const routes = new Hono();
  routes.get("/sessions", async (context) => context.json(await service.list()));
  routes.post("/sessions", async (context) =>
    context.json(await service.create(await readBody(context, NewSession, MEGABYTE))),
  );
  routes.post("/import", async (context) =>
    context.json(await service.import(await readBody(context, ImportBody, 256 * MEGABYTE))),
  );
  routes.get("/search", async (context) => {
    const named = context.req.query("session");
    const session = named === undefined || named === "" ? null : sessionId(named);
    const text = (context.req.query("q") ?? "").slice(0, 1000);
    return context.json(
      await service.search({ text, limit: numberQuery(context, "limit", 50, 500), session }),
    );
  });
  routes.get("/trash", async (context) => context.json(await service.discarded()));
  routes.post("/trash/:ticket/restore", async (context) =>
    context.json(await service.restore(context.req.param("ticket"))),
  );
  routes.delete("/sessions/:id", async (context) =>
    context.json(await service.discard(sessionParam(context))),
  );
  routes.get("/sessions/:id", async (context) => {
    const at = context.req.query("at");
    const limit = numberQuery(context, "limit", 60, 1000);
    const window = at === undefined ? { limit } : { at: entryParam(at), limit };
    return context.json(await service.snapshot(sessionParam(context), window));
  });
  routes.get("/sessions/:id/items", async (context) => {
    const leaf = context.req.query("leaf");
    const from = numberQuery(context, "from", 0, 10_000_000);
    const to = numberQuery(context, "to", from + 60, 10_000_000);
    const window = { leaf: leaf === undefined || leaf === "" ? null : entryParam(leaf), from, to };
    return context.json(await service.items(sessionParam(context), window));
  });
  routes.get("/sessions/:id/compare", async (context) => {
    const [a, b] = [entryParam(context.req.query("a") ?? ""), entryParam(context.req.query("b") ?? "")];
    return context.json(await service.compare(sessionParam(context), { a, b }));
  });
  routes.get("/sessions/:id/entries/:entryId", async (context) =>
    context.json(await service.entry(sessionParam(context), entryParam(context.req.param("entryId")))),
  );
  routes.get("/sessions/:id/entries/:entryId/blocks/:n", async (context) => {
    const index = Number(context.req.param("n"));
    const entry = entryParam(context.req.param("entryId"));
    const block = await service.block(sessionParam(context), entry, Number.isInteger(index) ? index : -1);
    if (block.kind === "text") return context.json({ text: block.text });
    context.header("Content-Type", block.mimeType);
    context.header("Content-Disposition", "attachment");
    context.header("Content-Security-Policy", "sandbox; default-src 'none'");
    return context.body(new Uint8Array(block.bytes));
  });
  routes.post("/sessions/:id/commands", async (context) => {
    const id = sessionParam(context);
    return context.json(await service.command(id, await readBody(context, Command, 64 * MEGABYTE)));
  });
  return routes;
};
