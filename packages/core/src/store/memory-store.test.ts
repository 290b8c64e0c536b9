import { sessionId } from "@espalier/protocol";
import { MemoryStore } from "./memory-store.ts";
import { sessionStoreCase } from "./session-store.case.ts";

sessionStoreCase("memory", async () => {
  const store = new MemoryStore();
  return { store, bytes: async (id) => store.bytes(sessionId(id)) };
});
