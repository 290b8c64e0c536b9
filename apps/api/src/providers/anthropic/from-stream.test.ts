import { wireDataCase } from "../wire-data.case.ts";
import { createAnthropicReader } from "./from-stream.ts";

wireDataCase("anthropic", 35, createAnthropicReader);
