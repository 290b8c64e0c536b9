import { QueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { createStore } from "zustand/vanilla";
import { growthChannel, IdbStore } from "../client/idb-store.ts";
import { KeyRing, type TokenPlace } from "../client/key-ring.ts";
import { OfflineClient } from "../client/offline-client.ts";
import type { PageMemory } from "../client/page-memory.ts";
import { SeenStore } from "../client/seen-store.ts";
import { SharedStream, type TabChannel, type TabLock } from "../client/shared-stream.ts";
import type { Transport } from "../client/transport.ts";
import { mergeOnReturn } from "./merge-on-return.ts";
import { browserChoices, SessionPool } from "./session-pool.ts";
import { pageScheduler } from "./session-store.ts";

/** Whether the page has a key: "out" shows how to get a fresh link. */
type Access = "checking" | "in" | "out";

const newAccessStore = () => createStore<{ access: Access }>(() => ({ access: "checking" }));

/** Everything the page is built on. Made once, in `main.tsx`, or by a test with its own transport. */
export interface Services {
  readonly api: OfflineClient;
  readonly keys: KeyRing;
  readonly stream: SharedStream;
  readonly pool: SessionPool;
  readonly memory: PageMemory;
  readonly queries: QueryClient;
  readonly access: ReturnType<typeof newAccessStore>;
}

export interface ServiceParts {
  readonly transport: Transport;
  readonly place: TokenPlace;
  readonly memory: PageMemory;
  readonly tabs: { readonly channel: TabChannel; readonly lock: TabLock; readonly tab: string };
}

export const makeServices = ({ transport, place, memory, tabs }: ServiceParts): Services => {
  const access = newAccessStore();
  const keys = new KeyRing(transport, place);
  const kept = {
    seen: new SeenStore(),
    files: new IdbStore("espalier-files", growthChannel("espalier.files")),
  };
  const api = new OfflineClient(transport, keys, () => access.setState({ access: "out" }), kept);
  const stream = new SharedStream({ source: api, ...tabs });
  const pool = new SessionPool(api, stream, pageScheduler, browserChoices());
  const queries = new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: false } },
  });
  mergeOnReturn({ api, stream, pool, queries });
  stream.onFrames((frames) => {
    api.keepFrames(frames);
    // A list that was read before the stream began may have changed in between, and nobody will say so again.
    if (frames.some(({ frame: { event } }) => event.type === "sessions_changed" || event.type === "hello"))
      void queries.invalidateQueries({ queryKey: ["sessions"] });
  });
  return { api, keys, stream, pool, memory, queries, access };
};

const ServicesContext = createContext<Services | null>(null);
export const ServicesProvider = ServicesContext.Provider;

export const useServices = (): Services => {
  const services = useContext(ServicesContext);
  if (!services) throw new Error("ServicesProvider is missing");
  return services;
};
