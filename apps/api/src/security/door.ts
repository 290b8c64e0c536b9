import { ProblemError } from "@espalier/core";
import type { Context, MiddlewareHandler } from "hono";
import type { Keyring } from "./keyring.ts";

/** Methods that may change something. */
/** Methods with a body. DELETE has none, and no page sends it elsewhere without asking first. */
const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);

/** The names a browser may know us by. Fixed, so that a name somebody else points at us is refused. */
export const ownHosts = (port: number): ReadonlySet<string> =>
  new Set([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]);

/** `Host` as sent, lower case. A trailing dot or another port makes it foreign. */
const hostOf = (context: Context): string => (context.req.header("host") ?? "").toLowerCase();

/**
 * First of all, for pages and files too: a request under a name that is not ours is answered 421. This alone stops DNS
 * rebinding, where Origin and Host agree and both are the attacker's.
 */
export const checkHost =
  (hosts: () => ReadonlySet<string>): MiddlewareHandler =>
  async (context, next) => {
    if (!hosts().has(hostOf(context))) {
      throw new ProblemError(
        "foreign_host",
        "This server answers only under 127.0.0.1, localhost and [::1].",
      );
    }
    await next();
  };

const refuse = (why: string): never => {
  throw new ProblemError("forbidden", why);
};

/**
 * Nothing from another page: a foreign Origin, an opaque one, or a request that the browser itself calls cross-site is
 * refused before its body is read. Programs send neither header. Preflights get no answer that would let them on.
 */
export const checkOrigin =
  (hosts: () => ReadonlySet<string>): MiddlewareHandler =>
  async (context, next) => {
    if (context.req.method === "OPTIONS") refuse("This server answers no cross-origin requests.");
    const origin = context.req.header("origin");
    if (origin !== undefined && origin !== `http://${hostOf(context)}`)
      refuse("The request comes from another page.");
    if (origin !== undefined && !hosts().has(origin.slice("http://".length)))
      refuse("The request comes from another page.");
    const site = context.req.header("sec-fetch-site");
    const navigation = context.req.header("sec-fetch-mode") === "navigate" && context.req.method === "GET";
    if (site !== undefined && site !== "same-origin" && !navigation)
      refuse("The request comes from another site.");
    await next();
  };

/** Only real JSON changes anything: a form or a plain-text POST needs no preflight and is therefore refused. */
export const checkMedia: MiddlewareHandler = async (context, next) => {
  if (WITH_BODY.has(context.req.method)) {
    const [type] = (context.req.header("content-type") ?? "").split(";");
    if (type?.trim().toLowerCase() !== "application/json") {
      throw new ProblemError("unsupported_media", "Send the body as application/json.");
    }
  }
  await next();
};

/** The token in the header, and it alone, authorises a call; a cookie does not, since other ports share cookies. */
export const checkToken =
  (keyring: Keyring): MiddlewareHandler =>
  async (context, next) => {
    keyring.authorise(context.req.header("x-espalier-token"));
    await next();
  };

const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Frame-Options": "DENY",
};

/** What the page may do: its own scripts and connections, nothing from anywhere else. One nonce per page load. */
export const contentPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

export const pageHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  for (const [name, value] of Object.entries(PAGE_HEADERS)) context.res.headers.set(name, value);
  if (context.req.path.startsWith("/api/")) context.res.headers.set("Cache-Control", "no-store");
};
