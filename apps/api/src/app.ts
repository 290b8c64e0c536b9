import { ProblemError, problemOf } from "@espalier/core";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { eventRoutes } from "./routes/events.ts";
import { keyRoutes, mintRoutes } from "./routes/keys.ts";
import { statusOf } from "./routes/problem-status.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { workspaceRoutes } from "./routes/workspace.ts";
import type { EventLog } from "./runtime/event-log.ts";
import type { SessionService } from "./runtime/session-service.ts";
import type { WorkspaceService } from "./runtime/workspace-service.ts";
import { checkHost, checkMedia, checkOrigin, checkToken, pageHeaders } from "./security/door.ts";
import type { Keyring } from "./security/keyring.ts";

export interface AppParts {
  readonly sessions: SessionService;
  readonly workspace: WorkspaceService;
  readonly log: EventLog;
  readonly keyring: Keyring;
  readonly version: string;
  /** Known once the server listens. */
  readonly port: () => number;
  readonly hosts: () => ReadonlySet<string>;
  /** The page and its files; absent where another server gives them (development). */
  readonly pages?: Hono;
  /** Aborts when the server stops: open streams end. */
  readonly ended: AbortSignal;
  /** How often a quiet stream says that it is alive, ms. */
  readonly heartbeatMs?: number;
  /** Told of failures nobody expected. */
  readonly report: (error: unknown) => void;
}

const LARGEST_BODY = 300 * 1024 * 1024;
const LARGEST_KEY_BODY = 8192;

const tooLarge = (): never => {
  throw new ProblemError("too_large", "The body is too large.");
};

/** The whole HTTP surface. Checks come first and in this order: our name, our page, our media type, the token. */
export const createApp = (parts: AppParts): Hono => {
  const app = new Hono();
  app.onError((error, context) => {
    const problem = problemOf(error);
    if (problem.code === "internal") {
      parts.report(error);
      return context.json(
        { error: { code: "internal", message: "Something failed inside; the terminal has the details." } },
        500,
      );
    }
    return context.json({ error: problem }, statusOf[problem.code]);
  });
  app.use(pageHeaders);
  app.use(checkHost(parts.hosts));
  app.use("/api/*", checkOrigin(parts.hosts));
  app.use("/api/*", checkMedia);
  // Nobody makes us hold a large body before they have shown the token.
  app.use("/api/key/*", bodyLimit({ maxSize: LARGEST_KEY_BODY, onError: tooLarge }));
  app.route("/api", keyRoutes(parts.keyring, parts.port));
  app.use("/api/*", checkToken(parts.keyring));
  app.use("/api/*", bodyLimit({ maxSize: LARGEST_BODY, onError: tooLarge }));
  app.route("/api", mintRoutes(parts.keyring));
  app.route("/api", sessionRoutes(parts.sessions));
  app.route("/api", workspaceRoutes(parts.workspace));
  app.route("/api", eventRoutes(parts.log, parts.version, parts.ended, parts.heartbeatMs));
  app.all("/api/*", (context) =>
    context.json({ error: { code: "not_found", message: "There is no such call." } }, 404),
  );
  if (parts.pages) app.route("/", parts.pages);
  return app;
};
