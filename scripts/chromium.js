// Finds a Chromium for the tests, or installs one where that is possible.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

const installed = async () => {
  const { chromium } = await import("playwright");
  const candidates = [
    process.env.CHROMIUM,
    "/usr/bin/chromium",
    "/usr/bin/google-chrome",
    chromium.executablePath(),
  ];
  return candidates.find((path) => path && existsSync(path)) ?? null;
};

const install = () => {
  const debian = existsSync("/etc/debian_version") && process.getuid?.() === 0;
  const run = (command, words) =>
    execFileSync(command, words, { stdio: ["ignore", process.stderr, process.stderr] });
  if (debian) {
    run("apt-get", ["update"]);
    run("apt-get", ["install", "-y", "--no-install-recommends", "chromium"]);
  } else {
    run("npx", ["playwright", "install", "chromium"]);
  }
};

/** Path of a Chromium; throws when there is none and none can be installed. */
export const findChromium = async () => {
  const found = await installed();
  if (found) return found;
  install();
  const fresh = await installed();
  if (!fresh) throw new Error("No Chromium found. Install one, or set CHROMIUM to its path.");
  return fresh;
};
