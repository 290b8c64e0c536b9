import { wireDataCase } from "../wire-data.case.ts";
import { createResponsesReader } from "./from-stream.ts";

wireDataCase("openai-responses", 49, createResponsesReader);
