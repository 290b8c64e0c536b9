import { ProblemError } from "@espalier/core";
import { entryId, type SessionId, sessionId } from "@espalier/protocol";
import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Context } from "hono";

/** A header id as pi allows it, with our suffix for a file whose id another one holds already. */
const ROUTE_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?(?:~[0-9a-f]{16})?$/;

/** The body as `schema` says. Throws `bad_request` with the field that does not fit, `too_large` past `most` bytes. */
export const readBody = async <Schema extends TSchema>(
  context: Context,
  schema: Schema,
  most: number,
): Promise<Static<Schema>> => {
  const text = await context.req.text();
  if (text.length > most) throw new ProblemError("too_large", `The body may have at most ${most} bytes.`);
  let value: unknown;
  try {
    value = text === "" ? {} : JSON.parse(text);
  } catch {
    throw new ProblemError("bad_request", "The body is not valid JSON.");
  }
  const wrong = Value.Errors(schema, value).First();
  if (wrong) {
    throw new ProblemError("bad_request", `The body does not fit: ${wrong.path || "/"} ${wrong.message}.`);
  }
  return value as Static<Schema>;
};

/** The session's id of the route. Throws `bad_request`: an id is never a path. */
export const sessionParam = (context: Context): SessionId => {
  const id = context.req.param("id") ?? "";
  if (!ROUTE_ID.test(id)) throw new ProblemError("bad_request", "That is no session id.");
  return sessionId(id);
};

/** An entry's id from a parameter or a query. */
export const entryParam = (text: string | undefined) => {
  if (text === undefined || text === "" || text.length > 256)
    throw new ProblemError("bad_request", "That is no entry id.");
  return entryId(text);
};

/** A whole number of a query within bounds, or `fallback` when absent. */
export const numberQuery = (context: Context, name: string, fallback: number, most: number): number => {
  const text = context.req.query(name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > most) {
    throw new ProblemError("bad_request", `${name} must be a whole number from 0 to ${most}.`);
  }
  return value;
};
