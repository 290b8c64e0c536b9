import type { Hooks, Tool } from "@espalier/core";
import { type HookList, type Registry, service } from "@espalier/core/kernel";

/** What plugins can add to. Each is a service: a plugin gets it only when it names it in `requires`. */
export const toolService = service<Registry<Tool>>("tools");
export const beforeCallService = service<HookList<Hooks["beforeToolCall"]>>("before_tool_call");
export const afterCallService = service<HookList<Hooks["afterToolCall"]>>("after_tool_call");
