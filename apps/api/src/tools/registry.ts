import type { Tool } from "@espalier/core";
import { bash } from "./bash.ts";
import { edit } from "./edit.ts";
import { find } from "./find.ts";
import { grep } from "./grep.ts";
import { ls } from "./ls.ts";
import { read } from "./read.ts";
import { write } from "./write.ts";

/** Every tool that comes with Espalier, in the order models see them. */
export const builtInTools: readonly Tool[] = [read, bash, edit, write, grep, find, ls];
