import type { Token, Tokens } from "marked";
import { decodeEntities } from "./entities.ts";
import styles from "./Markdown.module.css";
import { inlineImage, safeHref } from "./safe-href.ts";

const DEEPEST = 40;

/** The inline parts of a block. */
export const InlineTokens = ({ tokens, depth = 0 }: { tokens: readonly Token[]; depth?: number }) =>
  tokens.map((token, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
    <Inline key={index} token={token} depth={depth} />
  ));

const Inline = ({ token, depth }: { token: Token; depth: number }) => {
  if (depth > DEEPEST) return <>{token.raw}</>;
  const children = (tokens: readonly Token[]) => <InlineTokens tokens={tokens} depth={depth + 1} />;
  switch (token.type) {
    case "text": {
      const text = token as Tokens.Text;
      return text.tokens ? children(text.tokens) : <>{decodeEntities(text.text)}</>;
    }
    case "escape":
      return <>{(token as Tokens.Escape).text}</>;
    case "strong":
      return <strong>{children((token as Tokens.Strong).tokens)}</strong>;
    case "em":
      return <em>{children((token as Tokens.Em).tokens)}</em>;
    case "del":
      return <del>{children((token as Tokens.Del).tokens)}</del>;
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "link":
      return <Link link={token as Tokens.Link} depth={depth} />;
    case "image":
      return <Image image={token as Tokens.Image} />;
    case "html":
      return /^<br\s*\/?>$/i.test(token.raw) ? <br /> : <>{token.raw}</>;
    default:
      return <>{token.raw}</>;
  }
};

const outside = { target: "_blank", rel: "noopener noreferrer" };

const Link = ({ link, depth }: { link: Tokens.Link; depth: number }) => {
  const href = safeHref(link.autolink ? link.href : decodeEntities(link.href));
  const inside = <InlineTokens tokens={link.tokens} depth={depth + 1} />;
  if (href === null) return <span title={link.href}>{inside}</span>;
  const title = link.title ? decodeEntities(link.title) : href;
  return (
    <a href={href} title={title} {...outside}>
      {inside}
    </a>
  );
};

/** Images of the network are never fetched: an address could carry what was read here to somebody else. */
const Image = ({ image }: { image: Tokens.Image }) => {
  const alt = decodeEntities(image.text);
  const inline = inlineImage(image.href);
  if (inline !== null) return <img className={styles.image} src={inline} alt={alt} />;
  const href = safeHref(decodeEntities(image.href));
  if (href === null) return <span className={styles.imageLink}>{alt === "" ? "image" : alt}</span>;
  return (
    <a className={styles.imageLink} href={href} title={`Image, not loaded: ${href}`} {...outside}>
      {alt === "" ? href : alt}
    </a>
  );
};
