import type { ModelInfo } from "@espalier/protocol";

type ProviderApi = Exclude<ModelInfo["api"], "demo">;

/** A provider whose address and variables we know, so that a key is all it takes. */
export interface KnownProvider {
  readonly label: string;
  readonly api: ProviderApi;
  /** What the vendor's SDK takes. */
  readonly baseUrl: string;
  /** Environment variable of the key. */
  readonly keyName: string;
  /** Environment variable that replaces the address. */
  readonly urlName?: string;
}

const knownProviders: Readonly<Record<string, KnownProvider>> = {
  anthropic: {
    label: "Anthropic",
    api: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    keyName: "ANTHROPIC_API_KEY",
    urlName: "ANTHROPIC_BASE_URL",
  },
  openai: {
    label: "OpenAI",
    api: "openai-responses",
    baseUrl: "https://api.openai.com/v1",
    keyName: "OPENAI_API_KEY",
    urlName: "OPENAI_BASE_URL",
  },
  openrouter: {
    label: "OpenRouter",
    api: "openai-completions",
    baseUrl: "https://openrouter.ai/api/v1",
    keyName: "OPENROUTER_API_KEY",
  },
  groq: {
    label: "Groq",
    api: "openai-completions",
    baseUrl: "https://api.groq.com/openai/v1",
    keyName: "GROQ_API_KEY",
  },
  mistral: {
    label: "Mistral",
    api: "openai-completions",
    baseUrl: "https://api.mistral.ai/v1",
    keyName: "MISTRAL_API_KEY",
  },
  deepseek: {
    label: "DeepSeek",
    api: "openai-completions",
    baseUrl: "https://api.deepseek.com",
    keyName: "DEEPSEEK_API_KEY",
  },
  xai: { label: "xAI", api: "openai-completions", baseUrl: "https://api.x.ai/v1", keyName: "XAI_API_KEY" },
};

export const knownProvider = (id: string): KnownProvider | undefined =>
  Object.hasOwn(knownProviders, id) ? knownProviders[id] : undefined;

export const knownProviderIds: readonly string[] = Object.keys(knownProviders);
