#!/usr/bin/env node
import { pathToFileURL } from "node:url";
import { ensureBuilt } from "../scripts/build.js";

const entry = await ensureBuilt(() => process.stderr.write("Building Espalier (once, a few seconds) …\n"));
const { main } = await import(pathToFileURL(entry).href);
await main(process.argv.slice(2));
