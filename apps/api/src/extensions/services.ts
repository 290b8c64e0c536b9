import type { Hooks, Model, Tool } from "@espalier/core";
import { type HookList, type Registry, service } from "@espalier/core/kernel";

/** What plugins can add to. Each is a service: a plugin gets it only when it names it in `requires`. */
export const toolService = service<Registry<Tool>>("tools");
export const beforeCallService = service<HookList<Hooks["beforeToolCall"]>>("before_tool_call");
export const afterCallService = service<HookList<Hooks["afterToolCall"]>>("after_tool_call");

/** How the runtime reaches a provider: an address, a key, headers. The key is for the request only. */
export interface ProviderConnection {
  readonly label: string;
  readonly baseUrl?: string;
  readonly apiKey: string;
  readonly headers?: Readonly<Record<string, string>>;
}
/** Ways to ask a model, by the name of the API they speak. */
export const providerService = service<Registry<(connection: ProviderConnection) => Model>>("providers");
