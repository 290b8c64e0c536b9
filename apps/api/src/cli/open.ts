import { parseArgs } from "node:util";
import { dataDirOf } from "../config.ts";
import { openBrowser } from "./open-browser.ts";
import { freshLink, readServerFile } from "./server-file.ts";
import type { Verb } from "./verb.ts";

/** Prints and opens a fresh link to the running server. */
export const openVerb: Verb = {
  usage: "open [--no-open] [--data-dir D]",
  run: async (argv, { out, err, env }) => {
    const { values } = parseArgs({
      args: [...argv],
      options: { "data-dir": { type: "string" }, "no-open": { type: "boolean" } },
    });
    const server = await readServerFile(dataDirOf(values["data-dir"], env));
    const link = server && (await freshLink(server));
    if (!link) {
      err("No server is running on this data dir. Start one with: npm start\n");
      return 1;
    }
    out(`${link}\n`);
    if (values["no-open"] !== true) openBrowser(link, env);
    return 0;
  },
};
