// Loaded into a measured process before its own code: says at its end how much CPU it used, in microseconds.
import { writeFileSync } from "node:fs";

process.on("exit", () => {
  if (process.env.BENCH_CPU_FILE)
    writeFileSync(process.env.BENCH_CPU_FILE, JSON.stringify(process.cpuUsage()));
});
