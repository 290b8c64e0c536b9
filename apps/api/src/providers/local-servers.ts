import { isObject, listAt, stringAt } from "./json-access.ts";

/** A program on this machine that serves models without a key. */
export interface LocalServer {
  readonly id: string;
  readonly label: string;
  readonly baseUrl: string;
}

export const localServers: readonly LocalServer[] = [
  { id: "ollama", label: "Ollama", baseUrl: "http://127.0.0.1:11434/v1" },
  { id: "lmstudio", label: "LM Studio", baseUrl: "http://127.0.0.1:1234/v1" },
];

/** A server that is there answers at once; one that is not should cost no wait, ms. */
const PROBE_TIMEOUT_MS = 500;
const MAX_MODELS = 100;

/** Names of the models a server offers; none when it is not there or answers something else. Never rejects. */
export const modelsAt = async (baseUrl: string, timeoutMs: number = PROBE_TIMEOUT_MS): Promise<string[]> => {
  try {
    const response = await fetch(`${baseUrl}/models`, {
      signal: AbortSignal.timeout(timeoutMs),
      redirect: "error",
    });
    if (!response.ok) return [];
    const body: unknown = await response.json();
    const ids = listAt(body, "data").flatMap((model) =>
      isObject(model) ? (stringAt(model, "id") ?? []) : [],
    );
    return ids.filter((id) => id !== "" && !/embed/i.test(id)).slice(0, MAX_MODELS);
  } catch {
    return [];
  }
};
