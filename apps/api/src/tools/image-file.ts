/** What a file's first bytes say about an image. Sizes in pixels, null when the header is cut or odd. */
export interface ImageHead {
  readonly mimeType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  readonly width: number | null;
  readonly height: number | null;
}

/** Largest side in pixels, and largest size as base64: what all providers take. */
export const MAX_IMAGE_SIDE = 2000;
export const MAX_IMAGE_BASE64 = 4.5 * 1024 * 1024;

const ascii = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length));
const u16be = (bytes: Uint8Array, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
const u16le = (bytes: Uint8Array, at: number): number => ((bytes[at + 1] ?? 0) << 8) | (bytes[at] ?? 0);
const u24le = (bytes: Uint8Array, at: number): number => u16le(bytes, at) | ((bytes[at + 2] ?? 0) << 16);
const u32be = (bytes: Uint8Array, at: number): number => u16be(bytes, at) * 65_536 + u16be(bytes, at + 2);

type Size = { width: number; height: number } | null;

/** The size stands in the first frame segment (SOF); the others are skipped by their length. */
const jpegSize = (bytes: Uint8Array): Size => {
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: u16be(bytes, at + 5), width: u16be(bytes, at + 7) };
    at += 2 + u16be(bytes, at + 2);
  }
  return null;
};

const webpSize = (bytes: Uint8Array): Size => {
  if (bytes.length < 30) return null;
  switch (ascii(bytes, 12, 4)) {
    case "VP8 ":
      return { width: u16le(bytes, 26) & 0x3fff, height: u16le(bytes, 28) & 0x3fff };
    case "VP8L": {
      const bits = u16le(bytes, 21) + u16le(bytes, 23) * 65_536;
      return { width: (bits & 0x3fff) + 1, height: (Math.floor(bits / 0x4000) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: u24le(bytes, 24) + 1, height: u24le(bytes, 27) + 1 };
    default:
      return null;
  }
};

const headOf = (mimeType: ImageHead["mimeType"], size: Size): ImageHead => ({
  mimeType,
  width: size?.width ?? null,
  height: size?.height ?? null,
});

/** Tells an image by its first bytes, whatever its name; null for anything else. */
export const readImageHead = (bytes: Uint8Array): ImageHead | null => {
  if (ascii(bytes, 0, 8) === "\x89PNG\r\n\x1a\n") {
    const size = bytes.length < 24 ? null : { width: u32be(bytes, 16), height: u32be(bytes, 20) };
    return headOf("image/png", size);
  }
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff)
    return headOf("image/jpeg", jpegSize(bytes));
  const start = ascii(bytes, 0, 6);
  if (start === "GIF87a" || start === "GIF89a") {
    return headOf(
      "image/gif",
      bytes.length < 10 ? null : { width: u16le(bytes, 6), height: u16le(bytes, 8) },
    );
  }
  if (ascii(bytes, 0, 4) === "RIFF" && ascii(bytes, 8, 4) === "WEBP") {
    return headOf("image/webp", webpSize(bytes));
  }
  return null;
};
