import { ProblemError } from "@espalier/core";
import { KeyExchange } from "@espalier/protocol";
import { type Context, Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { Keyring } from "../security/keyring.ts";
import { readBody } from "./read-body.ts";

const YEAR_S = 365 * 24 * 3600;

/** How a page gets its token: by the one-time key of a printed link, or by the cookie that an earlier link left. */
export const keyRoutes = (keyring: Keyring, port: () => number): Hono => {
  const routes = new Hono();
  const name = (): string => `espalier_${port()}`;
  const fromOurPage = (context: Context): void => {
    if (context.req.header("origin") === undefined) {
      throw new ProblemError("forbidden", "Keys are traded by our own page only.");
    }
  };
  routes.post("/key", async (context) => {
    const { key } = await readBody(context, KeyExchange, 4096);
    const token = keyring.exchange(key);
    setCookie(context, name(), keyring.cookie, {
      httpOnly: true,
      sameSite: "Strict",
      path: "/api",
      maxAge: YEAR_S,
    });
    return context.json({ token });
  });
  routes.post("/key/renew", (context) => {
    fromOurPage(context);
    return context.json({ token: keyring.renew(getCookie(context, name())) });
  });
  return routes;
};

/** Behind the token: a fresh one-time key for `espalier open`. */
export const mintRoutes = (keyring: Keyring): Hono => {
  const routes = new Hono();
  routes.post("/key/mint", (context) => context.json({ key: keyring.mint() }));
  return routes;
};
