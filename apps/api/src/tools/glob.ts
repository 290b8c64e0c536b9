/** Opens `{a,b}` into all its readings, nested ones too; at most a hundred. */
const openBraces = (pattern: string): string[] => {
  const open = pattern.indexOf("{");
  if (open < 0) return [pattern];
  let depth = 0;
  const commas = [open];
  for (let at = open; at < pattern.length; at++) {
    const sign = pattern.charAt(at);
    if (sign === "\\") at += 1;
    else if (sign === "{") depth += 1;
    else if (sign === "," && depth === 1) commas.push(at);
    else if (sign === "}" && --depth === 0) {
      if (commas.length === 1) break;
      const edges = [...commas, at];
      const [head, tail] = [pattern.slice(0, open), pattern.slice(at + 1)];
      return edges
        .slice(0, -1)
        .flatMap((edge, index) => openBraces(head + pattern.slice(edge + 1, edges[index + 1]) + tail))
        .slice(0, 100);
    }
  }
  return [pattern];
};

const literal = (sign: string): string => sign.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");

const classOf = (pattern: string, at: number): { source: string; end: number } | null => {
  const close = pattern.indexOf(
    "]",
    at + (pattern.charAt(at + 1) === "!" || pattern.charAt(at + 1) === "^" ? 3 : 2),
  );
  if (close < 0) return null;
  const body = pattern.slice(at + 1, close).replaceAll(/[\\[\]]/g, "\\$&");
  return { source: `[${body.replace(/^!/, "^")}]`, end: close };
};

const toSource = (pattern: string): string => {
  let source = "";
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern.charAt(at);
    if (pattern.startsWith("**/", at) && (at === 0 || pattern.charAt(at - 1) === "/")) {
      source += "(?:[^/]+/)*";
      at += 2;
    } else if (pattern.startsWith("**", at)) {
      source += ".*";
      at += 1;
    } else if (sign === "*") source += "[^/]*";
    else if (sign === "?") source += "[^/]";
    else if (sign === "\\" && at + 1 < pattern.length) source += literal(pattern.charAt(++at));
    else {
      const set = sign === "[" ? classOf(pattern, at) : null;
      source += set?.source ?? literal(sign);
      at = set?.end ?? at;
    }
  }
  return source;
};

/**
 * A test of paths (with "/", relative to the folder searched) against a glob: `*`, `**`, `?`, `[a-z]`, `{a,b}`. A pattern
 * without "/" is matched with names at any depth, one with "/" with whole paths. Never throws.
 */
export const globTest = (pattern: string): ((path: string) => boolean) => {
  const clean = pattern.replace(/^\.?\//, "");
  const anywhere = !pattern.replace(/\/$/, "").includes("/");
  const tests = openBraces(clean.replace(/\/$/, "")).map((opened) => {
    try {
      return new RegExp(`^${toSource(opened)}$`, "su");
    } catch {
      return new RegExp(`^${literal(opened)}$`, "su");
    }
  });
  return (path) => {
    const tested = anywhere ? path.slice(path.lastIndexOf("/") + 1) : path;
    return tests.some((test) => test.test(tested));
  };
};
