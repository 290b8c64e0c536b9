import type { FileList, ModelList, SessionId, SessionList, WorkspaceInfo } from "@espalier/protocol";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useServices } from "./services.tsx";

/** All sessions the server knows. */
export const useSessions = (): UseQueryResult<SessionList> => {
  const { api } = useServices();
  return useQuery({ queryKey: ["sessions"], queryFn: () => api.sessions() });
};

/** How many messages each session had when it was last looked at in this browser. */
export const useSeen = (): ReadonlyMap<string, number> | undefined => {
  const { memory } = useServices();
  return useQuery({ queryKey: ["sessions", "seen"], queryFn: () => memory.seen() }).data;
};

export const useModels = (): UseQueryResult<ModelList> => {
  const { api } = useServices();
  return useQuery({ queryKey: ["models"], queryFn: () => api.models(), staleTime: 60_000 });
};

export const useWorkspace = (): UseQueryResult<WorkspaceInfo> => {
  const { api } = useServices();
  return useQuery({ queryKey: ["workspace"], queryFn: () => api.workspace(), staleTime: 60_000 });
};

/** Files of a session's folder that match what is typed after `@`; nothing is asked while `search` is null. */
export const useFiles = (search: string | null, session: SessionId): UseQueryResult<FileList> => {
  const { api } = useServices();
  return useQuery({
    queryKey: ["files", session, search],
    queryFn: () => api.files(search ?? "", session),
    enabled: search !== null,
    placeholderData: (before) => before,
  });
};
