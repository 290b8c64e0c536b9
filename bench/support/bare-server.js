// The least that a server on Hono can be: what a start is measured against.
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const app = new Hono();
app.get("/", (context) => context.text("well"));
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
  console.log(`ready on http://127.0.0.1:${port}/`),
);
