import type { SessionId } from "@espalier/protocol";
import { useEffect, useState } from "react";
import { useFiles } from "../../store/queries.ts";
import { COMMANDS } from "./commands.ts";
import type { Suggestion } from "./Suggestions.tsx";
import type { Trigger } from "./suggest.ts";

/** How long typing must rest before files are asked for, ms. */
const REST_MS = 80;

/** What fits the trigger before the cursor. */
export const useSuggestions = (trigger: Trigger | null, session: SessionId): readonly Suggestion[] => {
  const wanted = trigger?.kind === "file" ? trigger.search : null;
  const [search, setSearch] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setSearch(wanted), wanted === null ? 0 : REST_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const files = useFiles(search, session);
  if (trigger === null) return [];
  if (trigger.kind === "command")
    return COMMANDS.filter((command) => command.name.startsWith(trigger.search)).map((command) => ({
      value: command.argument === undefined ? `/${command.name}` : `/${command.name} `,
      title: `/${command.name}`,
      note: command.argument === undefined ? command.says : `${command.argument}: ${command.says}`,
    }));
  return (files.data?.files ?? []).slice(0, 12).map(({ path, dir }) => ({
    value: dir ? `@${path.replace(/\/?$/, "/")}` : `@${path} `,
    title: path,
    note: "",
    icon: dir ? "folder" : "file",
  }));
};
