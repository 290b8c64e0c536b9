/** Scripts without spaces between words: each character is a word of its own, and words are found as sequences of them. */
const UNSPACED = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;
const HAS_UNSPACED = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]/;
const HUMP = /[a-z0-9](?=[A-Z])/g;
/** Longer runs are keys, hashes and images in letters: nobody types more of them. */
const LONG_RUN = /([A-Za-z0-9+/=]{64})[A-Za-z0-9+/=]{16,}/g;
const WORD_CHAR = /[A-Za-z0-9]/;
const LONGEST_WORD = 64;

/** Names in camelCase with a space at each hump, each once. */
const humps = (text: string): string => {
  const found = new Set<string>();
  let end = 0;
  for (const { index } of text.matchAll(HUMP)) {
    if (index < end) continue;
    let from = index;
    while (from > 0 && index - from < LONGEST_WORD && WORD_CHAR.test(text[from - 1] ?? "")) from -= 1;
    end = index + 1;
    while (end < text.length && end - from < LONGEST_WORD && WORD_CHAR.test(text[end] ?? "")) end += 1;
    found.add(text.slice(from, end).replace(/([a-z0-9])(?=[A-Z])/g, "$1 "));
  }
  return [...found].join("\n");
};

/**
 * A text as the index takes it, which it then cuts into words at everything that is neither letter nor digit: characters of
 * scripts without spaces stand apart, names in camelCase are there whole and in their parts.
 */
export const wordsFor = (text: string): string => {
  const short = text.replace(LONG_RUN, "$1 ");
  const spaced = HAS_UNSPACED.test(short) ? short.replace(UNSPACED, " $& ") : short;
  const parts = humps(short);
  return parts === "" ? spaced : `${spaced}\n${parts}`;
};
