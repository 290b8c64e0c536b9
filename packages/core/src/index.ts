export * from "./loop/ports.ts";
export * from "./loop/retry-delay.ts";
export * from "./problem/problem-error.ts";
export * from "./session/session-tree.ts";
export * from "./store/session-store.ts";
export * from "./wire/frame-reader.ts";
