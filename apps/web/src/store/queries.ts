import type {
  FileList,
  ModelList,
  SearchAnswer,
  SessionId,
  SessionList,
  TrashList,
  WorkspaceInfo,
} from "@espalier/protocol";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useServices } from "./services.tsx";

/** All sessions the server knows. */
export const useSessions = (): UseQueryResult<SessionList> => {
  const { api } = useServices();
  return useQuery({ queryKey: ["sessions"], queryFn: () => api.sessions() });
};

/** Places in all sessions that hold every word; asked again while sessions are still being read. Nothing is asked for "". */
export const useSearch = (text: string): UseQueryResult<SearchAnswer> => {
  const { api } = useServices();
  return useQuery({
    queryKey: ["search", text],
    queryFn: () => api.search(text, 200),
    enabled: text.trim() !== "",
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.complete === false ? 1500 : false),
  });
};

export const useTrash = (): UseQueryResult<TrashList> => {
  const { api } = useServices();
  return useQuery({ queryKey: ["sessions", "trash"], queryFn: () => api.trash() });
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
