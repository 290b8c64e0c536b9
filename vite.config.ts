import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const root = import.meta.dirname;

export default defineConfig({
  root: resolve(root, "apps/web"),
  plugins: [react()],
  build: {
    outDir: resolve(root, "dist/web"),
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Schemas are built by calls; those that the page does not use need not travel.
    rolldownOptions: { treeshake: { manualPureFunctions: ["Type"] } },
  },
  test: {
    root,
    projects: [
      {
        test: {
          name: "unit",
          root,
          include: [
            "packages/**/*.test.ts",
            "apps/**/*.test.ts",
            "apps/**/*.test.tsx",
            "testing/**/*.test.ts",
          ],
          testTimeout: 30_000,
        },
      },
    ],
  },
});
