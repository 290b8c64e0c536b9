/**
 * An address that may be opened: http, https or mailto, written out whole. Null for all others (scripts, data, files, and
 * relative ones, which would mean our own server).
 */
export const safeHref = (href: string): string | null => {
  // Browsers drop tabs, line ends and leading control characters before they read the scheme; so do we.
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  const plain = href.replace(/[\u0000-\u0020\u007f-\u009f]+/g, (found) => (found.includes(" ") ? "%20" : ""));
  const trimmed = plain.replace(/^(?:%20)+|(?:%20)+$/g, "");
  if (!/^(?:https?:\/\/|mailto:)/i.test(trimmed)) return null;
  try {
    const url = new URL(trimmed);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
};

/** A raster image that is carried in the text itself; nothing is fetched for it. */
export const inlineImage = (href: string): string | null =>
  /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(href) ? href : null;
