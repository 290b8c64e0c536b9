const COUNT = new Intl.NumberFormat("en-US");

/** 61,402 */
export const count = (value: number): string => COUNT.format(Math.round(value));

/** 61k, 8.2k, 940, 1.2M: for tokens where room is short. */
export const shortCount = (value: number): string => {
  if (value < 1_000) return String(Math.round(value));
  if (value < 10_000) return `${(value / 1_000).toFixed(1)}k`;
  if (value < 1_000_000) return `${Math.round(value / 1_000)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
};

/** 41.3k, 9.1k, 940: one digit more than `shortCount`. */
export const fineCount = (value: number): string =>
  value >= 10_000 && value < 100_000 ? `${(value / 1_000).toFixed(1)}k` : shortCount(value);

/** 312 ms, 4.2 s, 3:05, 1:02:10 */
export const duration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return clock(ms);
};

/** 0:42, 12:05, 1:02:10 */
export const clock = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}:${two(seconds % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
};

/** 412 B, 2.1 kB, 3.4 MB */
export const bytes = (size: number): string => {
  if (size < 1_000) return `${size} B`;
  if (size < 1_000_000) return `${(size / 1_000).toFixed(1)} kB`;
  return `${(size / 1_000_000).toFixed(1)} MB`;
};

const two = (value: number): string => String(value).padStart(2, "0");

/** A file may name any number as a time: only what a calendar holds is shown. */
const isTime = (time: number): boolean => time > 0 && !Number.isNaN(new Date(time).getTime());

/** 23:31, whatever the day; "" for 0. `time` in epoch ms. */
export const hourOf = (time: number): string => {
  const date = new Date(time);
  return isTime(time) ? `${two(date.getHours())}:${two(date.getMinutes())}` : "";
};

/** 23:31; the day too when it is not today. `time` in epoch ms; 0 gives "". */
export const timeOfDay = (time: number, now: number = Date.now()): string => {
  if (!isTime(time)) return "";
  const date = new Date(time);
  const hours = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const today = new Date(now);
  if (date.toDateString() === today.toDateString()) return hours;
  const day = date.toLocaleDateString("en-US", { month: "short", day: "numeric" });
  return date.getFullYear() === today.getFullYear() ? `${day}, ${hours}` : `${day} ${date.getFullYear()}`;
};

/** "just now", "5 minutes ago", "2 hours ago", "3 days ago", or the date. */
export const ago = (time: number, now: number = Date.now()): string => {
  const minutes = Math.floor((now - time) / 60_000);
  const say = (value: number, word: string) => `${value} ${word}${value === 1 ? "" : "s"} ago`;
  if (minutes < 1) return "just now";
  if (minutes < 60) return say(minutes, "minute");
  if (minutes < 24 * 60) return say(Math.floor(minutes / 60), "hour");
  if (minutes < 30 * 24 * 60) return say(Math.floor(minutes / 1_440), "day");
  return new Date(time).toLocaleDateString("en-US", { year: "numeric", month: "short", day: "numeric" });
};

/** "1 entry", "2 entries" */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** Folders that a session works or worked in: what lies in them is shown from there. */
export type Folders = readonly string[];

/** A path as seen from the folders; outside of them, with `~` for the home folder. */
export const shownPath = (path: string, folders: Folders = []): string => {
  const folder = folders.find((each) => each.length > 1 && path.startsWith(`${each}/`));
  if (folder !== undefined) return path.slice(folder.length + 1);
  return path.replace(/^\/(?:(?:home|Users)\/[^/]+|root)(?=\/|$)/, "~");
};

/** A line of a tool call or command with the session's own folders left out: every one of them begins there. */
export const withoutFolder = (line: string, folders: Folders): string =>
  folders
    .filter((each) => each.length > 1)
    .reduce((rest, each) => rest.replace(`cd ${each} && `, "").replaceAll(`${each}/`, ""), line)
    .trim();
