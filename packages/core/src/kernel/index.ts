export { Kernel, type Plugin, type PluginContext, type Service, service } from "./kernel.ts";
export { HookList, Registry } from "./registry.ts";
export { type EffectFailure, Scope, type Undo } from "./scope.ts";
