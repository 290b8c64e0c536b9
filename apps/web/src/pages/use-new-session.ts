import { problemOf } from "@espalier/core";
import { useLocation } from "wouter";
import { useServices } from "../store/services.tsx";
import { showToast } from "../ui/toast-store.ts";

/** Starts a session (in a folder, else in the workspace) and goes there. Nothing is written before the first message. */
export const useNewSession = (): ((cwd?: string) => Promise<void>) => {
  const { api } = useServices();
  const [, go] = useLocation();
  return async (cwd) => {
    try {
      const { id } = await api.createSession(cwd);
      go(`/s/${encodeURIComponent(id)}`);
    } catch (error) {
      showToast(problemOf(error).message, "error");
    }
  };
};
