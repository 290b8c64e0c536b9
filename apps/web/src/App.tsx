import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Route, Switch } from "wouter";
import { useStore } from "zustand";
import { KeyPage } from "./pages/KeyPage.tsx";
import { NothingHere } from "./pages/NothingHere.tsx";
import styles from "./pages/Page.module.css";
import { SessionPage } from "./pages/SessionPage.tsx";
import { type Services, ServicesProvider } from "./store/services.tsx";
import { ErrorBoundary } from "./ui/ErrorBoundary.tsx";
import { Toasts } from "./ui/Toasts.tsx";
import { TooltipProvider } from "./ui/Tooltip.tsx";

const loadHome = () => import("./pages/HomePage.tsx");
const HomePage = lazy(async () => ({ default: (await loadHome()).HomePage }));
/** Without a backend nothing more can be loaded: what an open page may need then is fetched before. */
setTimeout(() => void loadHome().catch(() => undefined), 2_000);

const Pages = ({ services }: { services: Services }) => {
  const access = useStore(services.access, (state) => state.access);
  if (access === "checking") return null;
  if (access === "out") return <KeyPage />;
  return (
    <Suspense fallback={null}>
      <Switch>
        <Route path="/">{() => <HomePage />}</Route>
        <Route path="/s/:id">{({ id }) => <SessionPage key={id} id={id} />}</Route>
        <Route>{() => <NothingHere />}</Route>
      </Switch>
    </Suspense>
  );
};

/** The whole page. */
export const App = ({ services }: { services: Services }) => (
  <ServicesProvider value={services}>
    <QueryClientProvider client={services.queries}>
      <TooltipProvider>
        <ErrorBoundary
          fallback={(error, again) => (
            <main className={styles.broken}>
              <h1>The page could not be drawn.</h1>
              <p>{error.message}</p>
              <button type="button" onClick={again}>
                Try again
              </button>
            </main>
          )}
        >
          <Pages services={services} />
        </ErrorBoundary>
        <Toasts />
      </TooltipProvider>
    </QueryClientProvider>
  </ServicesProvider>
);
