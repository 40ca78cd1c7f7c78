/** Reads comments, test titles and sentences out of files, and estimates how hard sentences are to read. */

/** Returns each comment of a source file as one line. */
export function commentsOf(code: string): string[] {
  const found = code.matchAll(/\/\*\*?([\s\S]*?)\*\/|(?<![:'"`\w])\/\/ (.*)$/gm);
  return [...found].map(([, block, line]) => (block ?? line ?? '').replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim());
}

/** Returns the literal titles of the tests in suites; a test outside a suite names its own subject. */
export const titlesOf = (code: string): string[] =>
  [...code.matchAll(/(?<!^)\bit\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gm)].map(([, , title = '']) => title);

/** Returns the sentences of a Markdown page, without code, tables, headings and addresses. */
export function sentencesOf(markdown: string): string[] {
  const text = markdown
    .replaceAll(/^```[\s\S]*?^```/gm, '\n\n')
    .replaceAll(/^\s*(\||#|!\[|<).*$/gm, '\n\n')
    .replaceAll(/^\s*(?:[-*]|\d+\.) /gm, '\n\n')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/\*\*|_/g, '');
  const paragraphs = text.split(/\n\s*\n/).map((one) => one.replaceAll(/\s+/g, ' ').trim());
  return paragraphs.flatMap((one) => one.split(/(?<=[.!?])\s+/)).filter((sentence) => wordsOf(sentence).length > 2);
}

export const wordsOf = (sentence: string): string[] => sentence.match(/[A-Za-z][A-Za-z'’-]*/g) ?? [];

/** Estimates the syllables of an English word: groups of vowels, without a silent e at the end. */
function syllablesOf(word: string): number {
  const groups = word
    .toLowerCase()
    .replace(/(?:[^laeiouy]es|[^laeiouyt]ed|[^laeiouy]e)$/, '')
    .match(/[aeiouy]+/g);
  return Math.max(1, groups?.length ?? 1);
}

/** Returns the Flesch–Kincaid grade of sentences: about the school year in which a reader understands them. */
export function gradeOf(sentences: readonly string[]): number {
  const words = sentences.flatMap(wordsOf);
  const syllables = words.reduce((sum, word) => sum + syllablesOf(word), 0);
  return 0.39 * (words.length / sentences.length) + 11.8 * (syllables / words.length) - 15.59;
}
