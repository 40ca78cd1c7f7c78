import { before } from '../../../../runtime/invariant.ts';
import { entriesOf, linesOf } from './word-lists.ts';
import { EVERYDAY } from './words/everyday.ts';
import { GOODS } from './words/goods.ts';
import { IMPLIED as IMPLIED_LIST } from './words/implied.ts';
import { SERVICES } from './words/services.ts';
import { SHOPS } from './words/shops.ts';

/**
 * Topics that customers write about, in both languages. All words of a line count as the same
 * concept, which is named by the first one. A question in one language therefore finds an answer in
 * the other. Phrases contain underscores. If a word is in two lines, only the first line counts.
 */

const LINES = [SHOPS, GOODS, SERVICES, EVERYDAY].flatMap(linesOf);

export interface Concepts {
  readonly words: ReadonlyMap<string, string>;
  readonly phrases: ReadonlyMap<string, readonly { readonly words: readonly string[]; readonly concept: string }[]>;
}

export const IMPLIED = entriesOf(IMPLIED_LIST);

export const CONCEPTS: Concepts = readLines(LINES);

function readLines(lines: readonly string[]): Concepts {
  const words = new Map<string, string>();
  const phrases = new Map<string, { words: string[]; concept: string }[]>();
  for (const line of lines) {
    const [first = '', ...more] = line.split(' ');
    const concept = first.replaceAll('_', '');
    for (const one of [first, ...more]) {
      const parts = one.split('_');
      const start = before(one, '_');
      const others = phrases.get(start) ?? [];
      if (parts.length === 1) words.set(one, words.get(one) ?? concept);
      else
        phrases.set(
          start,
          [...others, { words: parts, concept }].toSorted((a, b) => b.words.length - a.words.length),
        );
    }
  }
  return { words, phrases };
}
