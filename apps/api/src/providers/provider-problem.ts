import type { Problem, ProblemCode } from "@espalier/protocol";
import { isObject, type JsonObject, numberAt, objectAt, parseJson, stringAt } from "./json-access.ts";

/** What a provider said when it failed, before we judge it. */
interface Failure {
  /** Name of the provider as a person knows it. */
  readonly provider: string;
  readonly status: number | null;
  /** Its own error words (type, code), joined. */
  readonly words: string;
  /** Its own message, or "". */
  readonly text: string;
}

export interface ProviderProblem {
  readonly problem: Problem;
  /** How long the server asked to wait, ms. */
  readonly retryAfterMs?: number;
}

const QUOTA =
  /insufficient[_ ](?:quota|credits?|balance|funds)|exceeded your (?:current )?(?:quota|usage)|quota[_ ]exceeded|credit balance|available balance|billing|payment required|usage[_ ]limit|spend(?:ing)? limit|out of credits/i;
const RATE =
  /rate[_ -]?limit|too many requests|(?:tokens|requests) per (?:second|minute|min|hour|day)|throttl|resource[_ ]?exhausted|\b429\b/i;
const OVERFLOW =
  /context[_ ](?:length|window|size)[_ ]?(?:exceed|error)|exceed_context_size|(?:maximum|max)(?:imum)? context (?:length|window)|(?:exceeds?|exceeded|larger than|beyond) (?:the |this model's |its )?(?:model's |available |maximum |max |allowed )*(?:context|prompt length|input (?:token|length))|prompt (?:is )?too long|input (?:is )?too long|(?:maximum|max) prompt length|input token count .{0,40}exceeds|reduce the length of the (?:messages|prompt|input)|too many (?:input )?tokens|request_too_large|model_context_window_exceeded/i;
const OVERLOADED =
  /overloaded|over capacity|at capacity|service[_ ]unavailable|temporarily unavailable|server[_ ]error|api_error|internal error|worker limit|bad gateway/i;
const AUTH =
  /(?:invalid|incorrect|missing|no|expired|wrong)[_ ](?:x-)?(?:api|auth)[a-z]*[_ -]?(?:key|token|header)?|authentication|unauthori[sz]ed|permission_error|forbidden/i;
const REJECTED =
  /invalid[_ ]request|invalid[_ ]prompt|not_found|unsupported|bad[_ ]request|tool_use_failed|content[_ ](?:filter|policy)/i;

/**
 * Rate limits are looked for before a full window: "too many tokens per minute" is no overflow. A full window is looked for
 * before server errors: llama.cpp answers 500 for it.
 */
const judge = ({ status, words, text }: Failure): ProblemCode => {
  const all = `${words} ${text}`;
  if (status === 402 || QUOTA.test(all)) return "provider_quota";
  if (status === 429 || RATE.test(words) || (status === null && RATE.test(text)))
    return "provider_rate_limit";
  if (status === 401) return "provider_auth";
  if ((status === null || status === 400 || status >= 413) && OVERFLOW.test(all)) return "provider_overflow";
  if (status === 403) return "provider_auth";
  if (status === 413) return "provider_overflow";
  if (status === 408) return "provider_network";
  if (status === 409 || (status !== null && status >= 500)) return "provider_overloaded";
  if (OVERLOADED.test(words) || (status === null && OVERLOADED.test(text))) return "provider_overloaded";
  if (AUTH.test(words) || (status !== 404 && AUTH.test(text))) return "provider_auth";
  if (status !== null || REJECTED.test(words)) return "provider_rejected";
  return "provider_stream";
};

const headline: Partial<Record<ProblemCode, (provider: string) => string>> = {
  provider_quota: (provider) => `${provider} says the account's quota or credit is used up`,
  provider_rate_limit: (provider) => `${provider} limits how fast requests may come`,
  provider_auth: (provider) => `${provider} did not accept the key`,
  provider_overflow: (provider) => `The conversation is too long for this model at ${provider}`,
  provider_overloaded: (provider) => `${provider} is overloaded or has an error of its own`,
  provider_network: (provider) => `${provider} gave no answer in time`,
  provider_rejected: (provider) => `${provider} refused the request`,
  provider_stream: (provider) => `${provider} broke off the answer with an error`,
};
const advice: Partial<Record<ProblemCode, string>> = {
  provider_quota: "Add credit there or choose another model.",
  provider_rate_limit: "Wait a little and try again.",
  provider_auth: "Check the key in Settings or in the environment.",
  provider_overflow: "Compact the session or choose a model with a larger window.",
  provider_overloaded: "Try again, or choose another model.",
  provider_network: "Try again.",
  provider_rejected: "Change what it names, or choose another model.",
  provider_stream: "Try again.",
};

const MAX_TEXT = 500;

const problemOf = (failure: Failure): Problem => {
  const code = judge(failure);
  const { provider, status, words } = failure;
  const text = failure.text.replaceAll(/\s+/g, " ").trim();
  const said = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()} ...` : text;
  const answer = status === null ? "" : ` (HTTP ${status})`;
  const quote = said === "" ? "." : `: ${said.replace(/[.\s]+$/, "")}.`;
  return {
    code,
    message: `${headline[code]?.(provider) ?? provider}${answer}${quote} ${advice[code] ?? ""}`.trim(),
    detail: { provider, ...(status === null ? {} : { status }), ...(words === "" ? {} : { words }) },
  };
};

const wordOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The error inside a body or event, in the shapes seen: `{error: {...}}`, `{error: "..."}`, `{detail}`, `{message}`, `[{error}]`. */
const readError = (value: unknown): { status: number | null; words: string; text: string } => {
  const outer: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof outer === "string") return { status: null, words: "", text: outer };
  if (!isObject(outer)) return { status: null, words: "", text: "" };
  const inner: JsonObject = objectAt(outer, "error") ?? outer;
  const status = numberAt(inner, "status_code") ?? numberAt(inner, "code") ?? numberAt(inner, "status");
  const words = [inner.type, inner.code, inner.status, outer === inner ? undefined : outer.code]
    .map(wordOf)
    .filter((word) => word !== "" && word !== "error");
  const text =
    stringAt(inner, "message") ??
    (typeof inner.error === "string" ? inner.error : null) ??
    stringAt(inner, "detail") ??
    (Array.isArray(inner.detail) ? JSON.stringify(inner.detail) : "");
  const upstream = stringAt(objectAt(inner, "metadata"), "raw");
  return {
    status: status !== null && status >= 400 && status < 600 ? status : null,
    words: [...new Set(words)].join(" "),
    text: upstream ? `${text} (${upstream})` : text,
  };
};

const secondsIn = (text: string): number | null => {
  const found = /(?:try again|retry) (?:in|after) (?:(\d+)m)?(\d+(?:\.\d+)?)(ms|s\b| ?sec)/i.exec(text);
  if (!found) return null;
  const [, minutes = "0", amount = "0", unit] = found;
  return Number(minutes) * 60 + Number(amount) / (unit === "ms" ? 1000 : 1);
};

/** `retry-after-ms`, then `retry-after` in seconds or as a date, then what the message says. `now` in epoch ms. */
const retryAfter = (headers: Headers, text: string, now: number): number | undefined => {
  const exact = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (exact >= 0) return Math.ceil(exact);
  const header = headers.get("retry-after");
  if (header !== null && header.trim() !== "") {
    const seconds = Number(header);
    const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
    if (Number.isFinite(wait)) return Math.max(0, Math.ceil(wait));
  }
  const said = secondsIn(text);
  return said === null ? undefined : Math.ceil(said * 1000);
};

const stripTags = (body: string): string =>
  /^\s*</.test(body)
    ? body.replaceAll(/<(script|style)[\s\S]*?<\/\1>/gi, " ").replaceAll(/<[^>]*>/g, " ")
    : body;

/** Judges an answer that was no stream: status, headers and body (JSON in many shapes, a web page, or nothing). */
export const httpProblem = (
  provider: string,
  answer: { status: number; headers: Headers; body: string },
  now: number,
): ProviderProblem => {
  const json = parseJson(answer.body);
  const { words, text } = json === undefined ? { words: "", text: stripTags(answer.body) } : readError(json);
  const problem = problemOf({ provider, status: answer.status, words, text });
  const wait = retryAfter(answer.headers, text, now);
  return wait === undefined ? { problem } : { problem, retryAfterMs: wait };
};

/** Judges an error that came inside a stream. */
export const streamProblem = (provider: string, error: unknown): ProviderProblem => {
  const read = readError(error);
  const wait = secondsIn(read.text);
  const problem = problemOf({ provider, ...read });
  return wait === null ? { problem } : { problem, retryAfterMs: Math.ceil(wait * 1000) };
};

const netWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "the name is not known",
  EAI_AGAIN: "the name could not be looked up",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  ETIMEDOUT: "it did not answer in time",
  UND_ERR_CONNECT_TIMEOUT: "it did not answer in time",
  UND_ERR_HEADERS_TIMEOUT: "it did not answer in time",
  UND_ERR_BODY_TIMEOUT: "it fell silent in the middle of the answer",
  UND_ERR_SOCKET: "the connection was closed",
};

/** Judges what `fetch` or a body threw. `where` is the address without a key. */
export const networkProblem = (provider: string, where: string, error: unknown): ProviderProblem => {
  const codes: string[] = [];
  let text = "";
  let next: unknown = error;
  for (let depth = 0; depth < 6 && next instanceof Error; depth++) {
    if ("code" in next && typeof next.code === "string") codes.push(next.code);
    text = next.message || text;
    next = next.cause;
  }
  const known = codes.map((code) => netWords[code]).find((word) => word !== undefined);
  const message = `The connection to ${provider} at ${where} failed: ${known ?? (text || "unknown reason")}. Check the network and the address, then try again.`;
  return {
    problem: { code: "provider_network", message, detail: { provider, where, codes } },
  };
};
