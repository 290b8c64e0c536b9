import { spawn } from "node:child_process";

const opener = (): string => {
  if (process.platform === "darwin") return "open";
  return process.platform === "win32" ? "explorer" : "xdg-open";
};

/** Shows `url` in the person's browser where there is one; a machine without one is no failure, the link is printed. */
export const openBrowser = (url: string, env: NodeJS.ProcessEnv): void => {
  const display = process.platform !== "linux" || env.DISPLAY || env.WAYLAND_DISPLAY;
  if (!display || env.CI) return;
  const child = spawn(opener(), [url], { detached: true, stdio: "ignore" });
  child.on("error", () => undefined);
  child.unref();
};
