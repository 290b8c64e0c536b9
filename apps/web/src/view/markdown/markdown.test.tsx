import fc from "fast-check";
import type { Token } from "marked";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { dataFolder, readData, runs } from "../../../../../testing/data-folder.ts";
import { TooltipProvider } from "../../ui/Tooltip.tsx";
import { BlockView } from "./Block.tsx";
import { Markdown } from "./Markdown.tsx";
import { GrowingBlocks, parseBlocks } from "./parse-blocks.ts";
import { safeHref } from "./safe-href.ts";

const html = (text: string, growing = false): string =>
  renderToStaticMarkup(createElement(TooltipProvider, null, createElement(Markdown, { text, growing })));

const read = (path: string): string => new TextDecoder().decode(readData(path));

/** Every tag and attribute that our own components write; anything else came out of the text. */
const TAGS = new Set(
  "div p h3 h4 h5 h6 pre code span ul ol li blockquote hr table thead tbody tr th td strong em del br a img input button svg rect path".split(
    " ",
  ),
);
const ATTRIBUTES = new Set(
  "class dir href title target rel src alt type checked disabled readonly data-align data-task data-depth data-growing data-state start style tabindex aria-label aria-hidden viewbox width height x y rx ry d fill stroke stroke-width stroke-linecap stroke-linejoin xmlns".split(
    " ",
  ),
);

/** What a browser would find in the markup beyond what we write; must be empty. */
const foreign = (markup: string): string[] => {
  const found: string[] = [];
  for (const [, name = "", rest = ""] of markup.matchAll(/<\/?([a-zA-Z][^\s/>]*)((?:"[^"]*"|[^">])*)>/g)) {
    if (!TAGS.has(name)) found.push(`<${name}>`);
    for (const [, attribute = "", value = ""] of rest.matchAll(/([^\s"=/]+)(?:="([^"]*)")?/g)) {
      if (!ATTRIBUTES.has(attribute.toLowerCase())) found.push(attribute);
      if (attribute === "href" && !/^(?:https?:|mailto:)/.test(value)) found.push(`href ${value}`);
      if (attribute === "src" && !/^data:image\/(?:png|jpeg|gif|webp);base64,/.test(value))
        found.push(`src ${value}`);
      if (attribute === "dir" && value !== "auto") found.push(`dir ${value}`);
      if (attribute === "style" && !/^counter-reset:item -?\d+$/.test(value)) found.push(`style ${value}`);
    }
  }
  return found;
};

describe("Markdown", () => {
  it("shows HTML as text", () => {
    expect(html("<b>x</b> <script>alert(1)</script>")).toContain("&lt;script&gt;");
    expect(foreign(html('<img src=x onerror="alert(1)">'))).toEqual([]);
  });

  it("opens http, https and mailto links only, in a new tab that knows nothing of this one", () => {
    expect(html("[a](https://b.c/?d=1&e=2)")).toContain(
      '<a href="https://b.c/?d=1&amp;e=2" title="https://b.c/?d=1&amp;e=2" target="_blank" rel="noopener noreferrer">',
    );
    for (const href of [
      "javascript:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "file:///etc/passwd",
      "//x.y",
      "a.md",
    ])
      expect(html(`[a](${href})`)).not.toContain("<a ");
    expect(safeHref("jav\tascript:alert(1)")).toBeNull();
    expect(safeHref(" \u0001https://x.y")).toBe("https://x.y/");
  });

  it("never fetches an image", () => {
    expect(html("![pixel](https://evil.example/x.png?secret)")).not.toContain("<img");
    expect(html("![pixel](https://evil.example/x.png)")).toContain('href="https://evil.example/x.png"');
    expect(html("![dot](data:image/png;base64,iVBORw0KGgo=)")).toContain("<img");
    expect(html("![dot](data:image/svg+xml;base64,PHN2Zz4=)")).not.toContain("<img");
  });

  it("bounds what is nested too deep", () => {
    expect(html(`${"> ".repeat(300)}deep`).length).toBeLessThan(20_000);
    expect(html(`${"*a **b ".repeat(2_000)}`)).toContain("a");
  });
});

describe.skipIf(dataFolder() === null)("hostile text", () => {
  it("runs nothing: the DOMPurify payloads", () => {
    const cases = JSON.parse(read("suites/dompurify/expect.json")) as { payload: string }[];
    expect(cases.length).toBeGreaterThan(100);
    for (const { payload } of cases) {
      expect(foreign(html(payload))).toEqual([]);
      expect(foreign(html(payload, true))).toEqual([]);
    }
  });

  it("runs nothing: the XSS payload list, as text, in links and in images", () => {
    const lines = read("suites/xss-payloads/Intruder/xss-payload-list.txt").split("\n").filter(Boolean);
    expect(lines.length).toBeGreaterThan(1_000);
    for (const line of lines) {
      expect(foreign(html(line))).toEqual([]);
      expect(foreign(html(`[x](${line}) ![y](${line}) <${line}> \`${line}\``))).toEqual([]);
    }
  });
});

/** Examples of the GFM spec: Markdown and the HTML it must give. */
const examples = (): { markdown: string; html: string; section: string; number: number }[] => {
  const found: { markdown: string; html: string; section: string; number: number }[] = [];
  let section = "";
  const spec = read("suites/gfm-spec/spec.txt");
  for (const part of spec.matchAll(
    /^#{1,6} (.*)$|^`{32} example[^\n]*\n([\s\S]*?)^\.\n([\s\S]*?)^`{32}$/gm,
  )) {
    const [, title, markdown, expected] = part;
    if (title !== undefined) section = title;
    else
      found.push({
        markdown: (markdown ?? "").replaceAll("\u2192", "\t"),
        html: (expected ?? "").replaceAll("\u2192", "\t"),
        section,
        number: found.length + 1,
      });
  }
  return found;
};

const decode = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");

/** The structure that both must share: block and inline tags without attributes, and the text, spaces joined. */
const shape = (markup: string): string =>
  decode(
    markup
      .replace(/<(button|svg)[\s\S]*?<\/\1>/g, "")
      .replace(/<\/?p\b(?:"[^"]*"|[^">])*>/g, " ")
      .replace(/<\/?(?:div|span|thead|tbody|a|img|input)\b(?:"[^"]*"|[^">])*>/g, "")
      .replace(/<(\/?)h[1-6](?:"[^"]*"|[^">])*>/g, "<$1h>")
      .replace(/<([a-z]+)\b(?:"[^"]*"|[^">])*>/g, "<$1>")
      .replace(/<(br|hr)>/g, "<$1>")
      .replace(/\s+/g, " ")
      .replace(/> /g, ">")
      .replace(/ </g, "<"),
  ).trim();

/** Chapters where we differ on purpose: raw HTML is shown as text, images are links, addresses must be whole. */
const ON_PURPOSE = /HTML|Images|Raw|Disallowed|Entity and numeric/;

describe.skipIf(dataFolder() === null)("the GFM spec", () => {
  it("is followed in every example outside of what we show otherwise on purpose", () => {
    const rawHtml = /<(?:a href|foo|bar|del|img|!--|responsive)|!\[/;
    const kept = examples().filter(
      ({ section, markdown }) => !ON_PURPOSE.test(section) && !rawHtml.test(markdown),
    );
    const wrong = kept.filter(({ markdown, html: expected }) => shape(html(markdown)) !== shape(expected));
    expect(kept.length).toBeGreaterThan(500);
    expect(wrong.map(({ number, section }) => `${section} ${number}`)).toEqual([]);
  });

  it("gives no example a tag or attribute of its own", () => {
    for (const { markdown } of examples()) expect(foreign(html(markdown))).toEqual([]);
  });
});

const piece = fc.constantFrom(
  "word ",
  "**bold** ",
  "`code` ",
  "\n",
  "\n\n",
  "\n- item\n",
  "\n1. one\n",
  "\n> quote\n",
  "\n# Title\n",
  "\n```ts\n",
  "\n```\n",
  "\n| a | b |\n|---|---|\n",
  "| 1 | 2 |\n",
  "[link](https://x.y) ",
  "* ",
  "_",
  "\n~~~\n",
  "    indented\n",
  "\n<div>\n",
  "\u{1f600}",
);

describe("a growing text", () => {
  it("ends as the same blocks as the finished text, whatever it is cut into", () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
        (pieces, sizes) => {
          const text = pieces.join("");
          const growing = new GrowingBlocks();
          let at = 0;
          for (const size of sizes) {
            if (at >= text.length) break;
            at = Math.min(text.length, at + size);
            growing.update(text.slice(0, at));
          }
          const words = (tokens: readonly Token[]): string =>
            renderToStaticMarkup(
              createElement(
                TooltipProvider,
                null,
                ...tokens.map((token, key) => createElement(BlockView, { token, key })),
              ),
            )
              .replace(/<[^>]*>|&[a-z0-9#]+;/g, "")
              .replace(/[^\p{L}\p{N}\p{So}]+/gu, "");
          // Marks may be closed or left open; the words and their order are the same.
          expect(words(growing.update(text))).toBe(words(parseBlocks(text)));
        },
      ),
      { numRuns: runs(150) },
    );
  });

  it("keeps whole blocks as they are and parses only the tail", () => {
    const growing = new GrowingBlocks();
    const first = growing.update("# Title\n\nOne paragraph.\n\nTwo");
    const second = growing.update("# Title\n\nOne paragraph.\n\nTwo words, and more");
    expect(second[0]).toBe(first[0]);
    expect(second.filter((token) => token.type === "paragraph")[0]).toBe(
      first.filter((token) => token.type === "paragraph")[0],
    );
  });

  it("reads an open fence of 100 kB without parsing it again", () => {
    const growing = new GrowingBlocks();
    let text = "Some words.\n\n```ts\n";
    const line = "const value = 1; // and a comment\n";
    let blocks = growing.update(text);
    while (text.length < 100_000) {
      text += line;
      blocks = growing.update(text);
    }
    expect(blocks.at(-1)).toMatchObject({ type: "code", lang: "ts" });
    const closed = growing.update(`${text}\`\`\`\n\nDone`);
    expect(closed.map(({ type }) => type)).toEqual(["paragraph", "space", "code", "space", "paragraph"]);
  });

  it("closes what is open at the end, so that half a word is not shown as marks", () => {
    const growing = new GrowingBlocks();
    const blocks = growing.update("some **bold te");
    expect(JSON.stringify(blocks)).toContain('"strong"');
  });
});
