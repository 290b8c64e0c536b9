import highlight from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import type { CodeToken } from "./code-token.ts";

const languages = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  markdown,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(languages)) highlight.registerLanguage(name, language);

/** Scopes of highlight.js that get a colour; the rest is plain ink. */
const COLOURS: Readonly<Record<string, CodeToken["colour"]>> = {
  keyword: "key",
  literal: "key",
  built_in: "key",
  type: "key",
  tag: "key",
  name: "key",
  "selector-tag": "key",
  section: "key",
  string: "string",
  regexp: "string",
  char: "string",
  addition: "string",
  attribute: "string",
  title: "function",
  function: "function",
  class: "function",
  attr: "function",
  "selector-class": "function",
  comment: "comment",
  quote: "comment",
  meta: "comment",
  doctag: "comment",
  number: "number",
  symbol: "number",
  bullet: "number",
  link: "number",
  deletion: "number",
};

interface Scope {
  readonly scope?: string;
  readonly children?: readonly (Scope | string)[];
}

const flatten = (node: Scope | string, colour: CodeToken["colour"], into: CodeToken[]): void => {
  if (typeof node === "string") {
    if (node !== "") into.push(colour === undefined ? { text: node } : { text: node, colour });
    return;
  }
  const own = COLOURS[(node.scope ?? "").split(".")[0] ?? ""] ?? colour;
  for (const child of node.children ?? []) flatten(child, own, into);
};

/** The coloured pieces of a code, in order; together they are the code. */
export const colourCode = (code: string, language: string): CodeToken[] => {
  const result = highlight.highlight(code, { language, ignoreIllegals: true });
  const tokens: CodeToken[] = [];
  // The emitter's tree is what the library builds its HTML from; reading it avoids HTML altogether.
  const emitter = result._emitter as unknown as { readonly rootNode: Scope };
  flatten(emitter.rootNode, undefined, tokens);
  return tokens;
};
