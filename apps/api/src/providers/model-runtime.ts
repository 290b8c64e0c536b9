import { join } from "node:path";
import type { Model, ModelEvent } from "@espalier/core";
import type { ModelInfo, ModelList, ModelRef, Problem } from "@espalier/protocol";
import type { Connection } from "./adapter.ts";
import { type Adapters, builtInAdapters } from "./built-in-adapters.ts";
import {
  type CatalogueModel,
  catalogue,
  DEFAULT_MAX_TOKENS,
  DEFAULT_WINDOW,
  FREE,
  unlisted,
} from "./catalogue.ts";
import { gardenerInfo } from "./demo/index.ts";
import { knownProvider } from "./known-providers.ts";
import { type LocalServer, localServers, modelsAt } from "./local-servers.ts";
import { expandValue, type FileProvider, type ModelsOverlay, modelsFileReader } from "./models-file.ts";
import { noUsage } from "./usage-of.ts";

export interface ModelRuntimeOptions {
  /** Folder of `models.json`. */
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** A key a person has stored; it goes before those of `models.json` and the environment. */
  readonly readKey: (provider: string) => Promise<string | undefined>;
  /** The person's default model, `provider/id`. */
  readonly preferred?: () => Promise<string | undefined>;
  /** How each API is spoken, as registered now. The built-in ones when left out. */
  readonly adapters?: () => Adapters;
  readonly localServers?: readonly LocalServer[];
}

type Reach = { readonly connection: Connection } | { readonly problem: Problem };

const noModel = (message: string): Problem => ({ code: "no_model", message });

const asText = (ref: ModelRef | string): string =>
  typeof ref === "string" ? ref : `${ref.provider}/${ref.modelId}`;

/** A model that cannot be asked says why, as any answer that failed. */
const failing = (problem: Problem): Model =>
  async function* model(): AsyncGenerator<ModelEvent> {
    yield { type: "end", outcome: { content: [], stopReason: "error", usage: noUsage(), problem } };
  };

/**
 * Which models there are and how to ask them: the catalogue, `models.json`, what local servers offer, and the demo. The only
 * place where a key meets a request; no key leaves it.
 */
export class ModelRuntime {
  readonly #options: ModelRuntimeOptions;
  readonly #overlay: () => Promise<ModelsOverlay>;
  #local: readonly CatalogueModel[] = [];

  constructor(options: ModelRuntimeOptions) {
    this.#options = options;
    this.#overlay = modelsFileReader(join(options.dataDir, "models.json"));
  }

  /** Every model, with whether it can be asked now; those of `models.json` first, the demo last. */
  async list(): Promise<ModelInfo[]> {
    const overlay = await this.#overlay();
    const models = this.#models(overlay);
    const ready = new Map<string, boolean>();
    for (const provider of new Set(models.map((model) => model.provider))) {
      ready.set(provider, "connection" in (await this.#reach(provider, overlay)));
    }
    return [
      ...models.map((model) => ({ ...model, ready: ready.get(model.provider) ?? false })),
      gardenerInfo,
    ];
  }

  /** Size of a model's window in tokens, whether or not it can be asked now; 0 when unknown. */
  async windowOf({ provider, modelId }: ModelRef): Promise<number> {
    const found = (await this.list()).find((model) => model.provider === provider && model.id === modelId);
    return found?.contextWindow ?? 0;
  }

  /** What the page is told: models, the default one, and what is wrong with `models.json`. */
  async listing(): Promise<ModelList> {
    const [models, overlay, chosen] = await Promise.all([this.list(), this.#overlay(), this.fallback()]);
    const incomplete = [...overlay.providers].flatMap(([id, provider]) => this.#incomplete(id, provider));
    return {
      models,
      default: chosen && { provider: chosen.provider, modelId: chosen.id },
      problems: [...overlay.problems, ...incomplete],
    };
  }

  /** The model of a session that names none: the person's own choice, else the first that is ready, else the demo. */
  async fallback(): Promise<ModelInfo> {
    const preferred = await this.#options.preferred?.();
    const found = preferred === undefined ? null : await this.resolve(preferred);
    if (found !== null && "provider" in found) return found;
    return (await this.list()).find((model) => model.ready) ?? gardenerInfo;
  }

  /**
   * A model by `provider/id`, by reference, or by an id only one provider has. A Problem when there is none (`no_model`) or
   * its provider has no key (`no_key`). A known provider is also asked for models that are not listed.
   */
  async resolve(ref: ModelRef | string): Promise<ModelInfo | Problem> {
    const text = asText(ref);
    const all = await this.list();
    const exact = all.filter((model) => `${model.provider}/${model.id}` === text);
    const found = exact.length > 0 ? exact : all.filter((model) => model.id === text);
    if (found.length > 1) {
      const names = found.map((model) => `${model.provider}/${model.id}`).join(", ");
      return noModel(`"${text}" could be several models: ${names}. Name one with its provider.`);
    }
    const slash = text.indexOf("/");
    const provider = slash < 0 ? "" : text.slice(0, slash);
    const overlay = await this.#overlay();
    const isKnown = knownProvider(provider) !== undefined || overlay.providers.has(provider);
    const model: CatalogueModel | undefined =
      found[0] ??
      (isKnown && slash < text.length - 1
        ? this.#unlisted(provider, text.slice(slash + 1), overlay)
        : undefined);
    if (model === undefined) {
      return noModel(
        `There is no model "${text}". Choose one of the list, or add it to models.json in the data folder.`,
      );
    }
    if (model.api === "demo") return gardenerInfo;
    const reach = await this.#reach(model.provider, overlay);
    return "problem" in reach ? reach.problem : { ...model, ready: true };
  }

  /** How to ask a model. The key is read when it is asked, so a new one works at once. */
  modelFor(info: ModelInfo): Model {
    const { api, provider, id } = info;
    const adapter = (this.#options.adapters?.() ?? builtInAdapters()).get(api);
    if (!adapter)
      return failing(noModel(`Nothing speaks ${api} (any more): the plugin that did is unloaded.`));
    // The demo has no address and no key.
    if (api === "demo") return adapter({ label: provider, apiKey: "" });
    const connect = async (): Promise<Reach> => {
      const overlay = await this.#overlay();
      const reach = await this.#reach(provider, overlay);
      if ("problem" in reach) return reach;
      const headers = overlay.providers.get(provider)?.models?.find((model) => model.id === id)?.headers;
      if (headers === undefined) return reach;
      const own = this.#headers(headers);
      return { connection: { ...reach.connection, headers: { ...reach.connection.headers, ...own } } };
    };
    return async function* model(request, signal): AsyncGenerator<ModelEvent> {
      const reach = await connect();
      const ask = "problem" in reach ? failing(reach.problem) : adapter(reach.connection);
      yield* ask(request, signal);
    };
  }

  /** Looks for servers on this machine; what they offer is listed from then on. Never rejects. */
  async probeLocal(): Promise<ModelInfo[]> {
    const { providers } = await this.#overlay();
    const servers = (this.#options.localServers ?? localServers).filter(({ id }) => !providers.has(id));
    const found = await Promise.all(
      servers.map(async (server) =>
        (await modelsAt(server.baseUrl)).map(
          (id): CatalogueModel => ({
            ...unlisted(server.id, id),
            name: `${id} (${server.label})`,
            contextWindow: 32_768,
            maxTokens: 8192,
            note: `on this machine, by ${server.label}; its window is not known`,
          }),
        ),
      ),
    );
    this.#local = found.flat();
    return this.#local.map((model) => ({ ...model, ready: true }));
  }

  #models(overlay: ModelsOverlay): CatalogueModel[] {
    const own = [...overlay.providers].flatMap(([id, provider]) => {
      if (this.#incomplete(id, provider).length > 0) return [];
      return (provider.models ?? []).map((model) => this.#fromFile(id, provider, model));
    });
    const names = new Set(own.map((model) => `${model.provider}/${model.id}`));
    const rest = [...catalogue, ...this.#local].filter(
      (model) => !names.has(`${model.provider}/${model.id}`),
    );
    return [...own, ...rest.map((model) => this.#readdressed(model, overlay))];
  }

  /** A catalogue model at a provider for which the file names another API. */
  #readdressed(model: CatalogueModel, overlay: ModelsOverlay): CatalogueModel {
    const api = overlay.providers.get(model.provider)?.api;
    return api === undefined ? model : { ...model, api };
  }

  #unlisted(provider: string, id: string, overlay: ModelsOverlay): CatalogueModel {
    return this.#readdressed(unlisted(provider, id), overlay);
  }

  #fromFile(
    id: string,
    provider: FileProvider,
    model: NonNullable<FileProvider["models"]>[number],
  ): CatalogueModel {
    const listed = catalogue.find((entry) => entry.provider === id && entry.id === model.id);
    return {
      provider: id,
      id: model.id,
      name: model.name ?? listed?.name ?? model.id,
      api: provider.api ?? knownProvider(id)?.api ?? "openai-completions",
      contextWindow: model.contextWindow ?? listed?.contextWindow ?? DEFAULT_WINDOW,
      maxTokens: model.maxTokens ?? listed?.maxTokens ?? DEFAULT_MAX_TOKENS,
      reasoning: model.reasoning ?? listed?.reasoning ?? false,
      input: model.input ?? listed?.input ?? ["text"],
      cost: model.cost ?? listed?.cost ?? FREE,
    };
  }

  /** What a provider of the file must say and does not. */
  #incomplete(id: string, provider: FileProvider): Problem[] {
    const path = join(this.#options.dataDir, "models.json");
    const missing = (field: string, what: string): Problem => ({
      code: "bad_request",
      message: `${path} does not fit, providers.${id}.${field}: ${what}. That provider is left out.`,
    });
    const known = knownProvider(id);
    const isLocal = (this.#options.localServers ?? localServers).some((server) => server.id === id);
    const problems: Problem[] = [];
    if (!provider.baseUrl && !known && !isLocal) problems.push(missing("baseUrl", "it is missing"));
    if (provider.baseUrl && !URL.canParse(provider.baseUrl))
      problems.push(missing("baseUrl", "it is no address"));
    if (!provider.api && !known && !isLocal) problems.push(missing("api", "it is missing"));
    const key = provider.apiKey === undefined ? null : expandValue(provider.apiKey, this.#options.env);
    if (key !== null && "refused" in key) problems.push(missing("apiKey", key.refused));
    return problems;
  }

  #headers(headers: Readonly<Record<string, string>>): Record<string, string> {
    const pairs = Object.entries(headers).flatMap(([name, text]) => {
      const expanded = expandValue(text, this.#options.env);
      return "value" in expanded ? [[name, expanded.value] as const] : [];
    });
    return Object.fromEntries(pairs);
  }

  /** Address, headers and key of a provider: stored key, then the file's, then the environment's. */
  async #reach(id: string, overlay: ModelsOverlay): Promise<Reach> {
    const { env, readKey } = this.#options;
    const file = overlay.providers.get(id);
    const known = knownProvider(id);
    const local = (this.#options.localServers ?? localServers).find((server) => server.id === id);
    const wrong = file === undefined ? undefined : this.#incomplete(id, file)[0];
    if (wrong !== undefined) return { problem: wrong };
    const label = file?.name ?? known?.label ?? local?.label ?? id;
    const baseUrl =
      file?.baseUrl ??
      (known?.urlName && env[known.urlName] ? env[known.urlName] : undefined) ??
      known?.baseUrl ??
      local?.baseUrl;
    if (baseUrl === undefined) return { problem: noModel(`There is no provider "${id}".`) };
    const headers = file?.headers === undefined ? {} : { headers: this.#headers(file.headers) };
    const reached = (apiKey: string): Reach => ({ connection: { label, baseUrl, apiKey, ...headers } });
    const stored = await readKey(id);
    if (stored !== undefined && stored !== "") return reached(stored);
    if (file?.apiKey !== undefined) {
      const key = expandValue(file.apiKey, env);
      if ("value" in key) return reached(key.value);
      const name = "missing" in key ? key.missing : "";
      return { problem: noKey(label, `Set the environment variable ${name}, or enter a key in Settings.`) };
    }
    const fromEnv = known === undefined ? "" : env[known.keyName];
    if (known !== undefined && !fromEnv && !isLoopback(baseUrl)) {
      return { problem: noKey(label, `Enter one in Settings, or set ${known.keyName}.`) };
    }
    return reached(fromEnv ?? "");
  }
}

const noKey = (label: string, advice: string): Problem => ({
  code: "no_key",
  message: `There is no key for ${label}. ${advice}`,
});

/** A server on this machine may do without a key, also one that stands in for a known provider. */
const isLoopback = (url: string): boolean => {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  return host === "localhost" || host === "[::1]" || /^127\./.test(host);
};
