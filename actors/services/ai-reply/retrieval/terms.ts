import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as indonesian } from '@orama/stemmers/indonesian';
import { RecentCache } from '../../../../runtime/recent-cache.ts';
import { CONCEPTS, IMPLIED } from './concepts.ts';
import { FILLERS, SLANG, STOPWORDS } from './slang.ts';

/** A text as the index sees it: its stems and the 4-grams of its words, as often as they occur. */
export interface Terms {
  readonly stems: readonly string[];
  readonly grams: readonly string[];
}

const GRAM = 4;
const MAX_WORD = 40;

/** Lower case without accents; what is stretched (`bangeeet`) is said once; `S-XXL` and `30s` stay words. */
export function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/['’`]/g, '');
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(/([a-z])\1{2,}/g, '$1').slice(0, MAX_WORD));
}

/** Words in full and with one meaning each: slang is spelled out, phrases and words of both languages become their concept, fillers go. */
export function meaningsOf(text: string): string[] {
  const words = wordsOf(text).flatMap(spelledOut);
  const meanings: string[] = [];
  let end = 0;
  for (const [at, word] of words.entries()) {
    if (at < end) continue;
    const phrase = CONCEPTS.phrases.get(word)?.find(({ words: wanted }) => wanted.every((one, nth) => words[at + nth] === one));
    meanings.push(phrase?.concept ?? meaningOf(word));
    end = at + (phrase?.words.length ?? 1);
  }
  return meanings.filter(says).flatMap((word) => [word, ...impliedBy(word)]);
}

const isEmpty = (word: string): boolean => FILLERS.has(word) || STOPWORDS.has(word);
const says = (word: string): boolean => !isEmpty(word) && !isEmpty(bare(word));

/** The stems and 4-grams of a text, in its order. */
export function termsOf(text: string): Terms {
  const known = meaningsOf(text).map(partsOf);
  return { stems: known.map(({ stem }) => stem), grams: known.flatMap(({ grams }) => grams) };
}

interface WordParts {
  readonly stem: string;
  readonly grams: readonly string[];
}

const WORDS_KEPT = 20_000;
const parts = new RecentCache<string, WordParts>(WORDS_KEPT);

function partsOf(word: string): WordParts {
  const known = parts.get(word);
  if (known) return known;
  const made = { stem: stemmed(word), grams: gramsOf(word) };
  parts.set(word, made);
  return made;
}

/** `ongkirnya` is `ongkir`: what is attached to a word of the table goes, other words keep it for the stemmer. */
function spelledOut(word: string): readonly string[] {
  const known = SLANG.get(word) ?? SLANG.get(bare(word));
  if (known !== undefined) return known === '' ? [] : known.split(' ');
  return [word];
}

const bare = (word: string): string => (word.length > 5 ? word.replace(/(nya|nyah|ku|mu|lah|kah)$/, '') : word);

function impliedBy(word: string): readonly string[] {
  const implied = IMPLIED.get(word);
  return implied === undefined ? [] : [implied];
}

const meaningOf = (word: string): string => CONCEPTS.words.get(word) ?? CONCEPTS.words.get(bare(word)) ?? word;

/** The Indonesian stem, and where that leaves a word as it is, the English one. */
function stemmed(word: string): string {
  if (!/^[a-z]+$/.test(word) || word.length < 4) return word;
  const local = indonesian(word);
  const stem = local === word ? english(word) : local;
  return CONCEPTS.words.get(stem) ?? stem;
}

function gramsOf(word: string): string[] {
  const padded = `_${word}_`;
  if (padded.length <= GRAM) return [padded];
  return Array.from({ length: padded.length - GRAM + 1 }, (_, at) => padded.slice(at, at + GRAM));
}
