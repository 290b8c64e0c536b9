/** A few bytes as text, a character a byte. Several times faster than a decoder, whose start costs more than the bytes do. */
export const latinText = (bytes: Uint8Array): string =>
  (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).toString(
    "latin1",
  );
