import "./ui/tokens.css";
import "./ui/base.css";
import { createRoot } from "react-dom/client";
import { App } from "./App.tsx";
import { fetchTransport } from "./client/fetch-transport.ts";
import { takeKey } from "./client/key-ring.ts";
import { indexedDbMemory } from "./client/page-memory.ts";
import { browserTabs } from "./client/shared-stream.ts";
import { makeServices, type Services } from "./store/services.tsx";
import { applyTheme, uiStore } from "./store/ui-store.ts";
import { trackFocus } from "./ui/focus-back.ts";

declare global {
  /** Read by the part of radix-ui that locks scrolling, for the style element it adds. */
  var __webpack_nonce__: string | undefined;
}

const signIn = async ({ keys, access, stream }: Services): Promise<void> => {
  const { key, hash } = takeKey(location.hash);
  // The code must not stay in the address, the history or a copied link.
  if (key !== null) history.replaceState(history.state, "", `${location.pathname}${location.search}${hash}`);
  try {
    const signedIn =
      (key !== null && (await keys.exchange(key))) || keys.token !== null || (await keys.renew());
    access.setState({ access: signedIn ? "in" : "out" });
    if (signedIn) stream.begin();
  } catch {
    // The server is not there: the page itself says so when it first asks for something.
    access.setState({ access: keys.token === null ? "out" : "in" });
    if (keys.token !== null) stream.begin();
  }
};

const start = (): void => {
  globalThis.__webpack_nonce__ = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
  applyTheme(uiStore.getState().theme);
  uiStore.subscribe((state) => applyTheme(state.theme));
  const services = makeServices({
    transport: fetchTransport,
    place: sessionStorage,
    memory: indexedDbMemory(),
    tabs: browserTabs(),
  });
  const wake = (): void => services.stream.wake();
  trackFocus();
  addEventListener("online", wake);
  document.addEventListener("visibilitychange", wake);
  addEventListener("pagehide", () => services.stream.close());
  // A page that the browser kept whole and shows again has given its stream away.
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  const root = document.getElementById("root");
  if (root) createRoot(root).render(<App services={services} />);
  void signIn(services);
};

start();
