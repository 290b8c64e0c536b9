/** Names that people and models write for a language, and file endings, to highlight.js' own names. */
const NAMES: Readonly<Record<string, string>> = {
  bash: "bash",
  console: "bash",
  shell: "bash",
  sh: "bash",
  zsh: "bash",
  fish: "bash",
  c: "c",
  h: "c",
  cc: "cpp",
  cpp: "cpp",
  cxx: "cpp",
  hpp: "cpp",
  "c++": "cpp",
  cs: "csharp",
  csharp: "csharp",
  css: "css",
  scss: "css",
  less: "css",
  diff: "diff",
  patch: "diff",
  go: "go",
  golang: "go",
  htm: "xml",
  html: "xml",
  svg: "xml",
  vue: "xml",
  xml: "xml",
  svelte: "xml",
  ini: "ini",
  toml: "ini",
  conf: "ini",
  env: "ini",
  java: "java",
  kt: "kotlin",
  kts: "kotlin",
  kotlin: "kotlin",
  cjs: "javascript",
  javascript: "javascript",
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  json: "json",
  jsonc: "json",
  jsonl: "json",
  json5: "json",
  markdown: "markdown",
  md: "markdown",
  mdx: "markdown",
  php: "php",
  py: "python",
  python: "python",
  pyi: "python",
  rb: "ruby",
  ruby: "ruby",
  rs: "rust",
  rust: "rust",
  sql: "sql",
  swift: "swift",
  cts: "typescript",
  mts: "typescript",
  ts: "typescript",
  tsx: "typescript",
  typescript: "typescript",
  yaml: "yaml",
  yml: "yaml",
};

/** The language a fence names; null when we have no colours for it. */
export const languageOf = (name: string): string | null => {
  const key = name.toLowerCase();
  return Object.hasOwn(NAMES, key) ? (NAMES[key] ?? null) : null;
};

/** The language of a file by its name's ending. */
export const languageOfPath = (path: string): string | null => {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (/^(?:dockerfile|makefile)$/i.test(name)) return "bash";
  return languageOf(name.slice(name.lastIndexOf(".") + 1));
};
