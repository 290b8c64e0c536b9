import { defineConfig } from "playwright/test";

/** Stories in a real browser. Each spec starts its own server on a free port. */
export default defineConfig({
  testDir: "e2e",
  testMatch: "*.spec.ts",
  workers: 2,
  fullyParallel: false,
  retries: 0,
  timeout: 90_000,
  expect: { timeout: 10_000 },
  outputDir: "test-results/e2e",
  reporter: process.env.ESPALIER_E2E_REPORT
    ? [["line"], ["json", { outputFile: process.env.ESPALIER_E2E_REPORT }]]
    : [["line"]],
  use: {
    browserName: "chromium",
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      ...(process.env.CHROMIUM ? { executablePath: process.env.CHROMIUM } : {}),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-background-networking",
        "--no-first-run",
      ],
    },
    trace: "off",
  },
});
