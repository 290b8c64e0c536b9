import { sessionStoreCase } from "@espalier/core/store-case";
import { sessionId } from "@espalier/protocol";
import { growthChannel, IdbStore } from "../../apps/web/src/client/idb-store.ts";
import { runCases } from "./browser-vitest.ts";

/** Runs in a page: the session store's suite over IndexedDB, and what a test asks of two stores that share a database. */
let made = 0;

sessionStoreCase("IndexedDB", async () => {
  made += 1;
  const name = `suite-${made}`;
  const store = new IdbStore(name, growthChannel(name));
  return { store, bytes: (id) => store.bytes(sessionId(id)) };
});

Object.assign(globalThis, {
  runSuite: runCases,
  sharedStore: (name: string) => new IdbStore(name, growthChannel(name)),
});
