import { problemOf } from "@espalier/core";
import { commandId, type SessionId, type SessionInfo } from "@espalier/protocol";
import { useServices } from "../../store/services.tsx";
import { showToast } from "../../ui/toast-store.ts";

/** What can be done with a session that is not open. Each says what went wrong and resolves to whether it was done. */
export const useSessionVerbs = () => {
  const { api, queries } = useServices();
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      showToast(problemOf(error).message, "error");
      return false;
    } finally {
      await queries.invalidateQueries({ queryKey: ["sessions"] });
    }
  };
  const restore = (ticket: string): Promise<boolean> => attempt(() => api.restoreSession(ticket));
  return {
    restore,
    rename: (id: SessionId, name: string): Promise<boolean> =>
      attempt(() => api.command(id, { type: "rename", name, commandId: commandId(crypto.randomUUID()) })),
    discard: (session: SessionInfo): Promise<boolean> =>
      attempt(async () => {
        const { ticket } = await api.discardSession(session.id);
        showToast("Moved to the trash.", "warn", { title: "Undo", run: () => void restore(ticket) });
      }),
  };
};
