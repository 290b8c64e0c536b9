/** Characters that turn the direction of text around, or have no width: code that holds one can read as other than it is. */
const HIDDEN = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/gu;

/** Text with such characters written out, so that what is read is what is run. */
export const visibleText = (text: string): string =>
  text.replace(HIDDEN, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`);
