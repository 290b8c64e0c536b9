import { wireDataCase } from "../wire-data.case.ts";
import { createChatReader } from "./from-stream.ts";

wireDataCase("openai-chat", 92, createChatReader);
