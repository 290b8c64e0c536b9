import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Context, Hono } from "hono";
import { contentPolicy } from "../security/door.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".jsonl": "application/x-ndjson",
  ".webmanifest": "application/manifest+json",
};
const PACKED = new Set([".html", ".js", ".css", ".svg", ".json", ".jsonl"]);

interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly packed: Uint8Array<ArrayBuffer> | null;
}

/** Reads the built page once. What is not in the folder now cannot be asked for, whatever the path says. */
export const readAssets = async (folder: string): Promise<ReadonlyMap<string, Asset>> => {
  const assets = new Map<string, Asset>();
  for (const item of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!item.isFile()) continue;
    const path = join(item.parentPath, item.name);
    const bytes = new Uint8Array(await readFile(path));
    const ending = extname(item.name);
    const packed = PACKED.has(ending) ? new Uint8Array(gzipSync(bytes, { level: 9 })) : null;
    const name = path.slice(folder.length).replaceAll("\\", "/");
    assets.set(name, { type: TYPES[ending] ?? "application/octet-stream", bytes, packed });
  }
  return assets;
};

const sendAsset = (context: Context, name: string, asset: Asset): Response => {
  context.header("Content-Type", asset.type);
  context.header(
    "Cache-Control",
    name.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
  );
  context.header("Vary", "Accept-Encoding");
  const packs = (context.req.header("accept-encoding") ?? "").includes("gzip");
  if (asset.packed && packs) {
    context.header("Content-Encoding", "gzip");
    return context.body(asset.packed);
  }
  return context.body(asset.bytes);
};

/** The page under every address it has, and its files. `canonical` is where a browser that came by another of our names goes. */
export const pageRoutes = (assets: ReadonlyMap<string, Asset>, canonical: () => string): Hono => {
  const routes = new Hono();
  const html = new TextDecoder().decode(assets.get("/index.html")?.bytes);
  routes.get("*", (context) => {
    const path = new URL(context.req.url).pathname;
    const asset = path === "/index.html" ? undefined : assets.get(path);
    if (asset) return sendAsset(context, path, asset);
    if (path !== "/" && path !== "/index.html" && !/^\/s\/[^/]+$/.test(path)) {
      return context.text("There is nothing here. The start page is /.\n", 404);
    }
    const named = context.req.header("host") ?? "";
    if (context.req.header("sec-fetch-mode") === "navigate" && `http://${named}` !== canonical()) {
      const { pathname, search } = new URL(context.req.url);
      return context.redirect(`${canonical()}${pathname}${search}`, 307);
    }
    const nonce = randomBytes(16).toString("base64");
    context.header("Content-Security-Policy", contentPolicy(nonce));
    context.header("Cache-Control", "no-store");
    return context.html(html.replaceAll("__NONCE__", () => nonce));
  });
  return routes;
};
