import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as indonesian } from '@orama/stemmers/indonesian';
import { RecentCache } from '../../../../runtime/recent-cache.ts';
import { normalized, type SafeText } from '../../../../runtime/safe-text.ts';
import { CONCEPTS, IMPLIED } from './concepts.ts';
import { entriesOf, wordsIn } from './word-lists.ts';
import { CITIES } from './words/cities.ts';
import { FILLERS } from './words/fillers.ts';
import { SLANG } from './words/slang.ts';
import { STOPWORDS } from './words/stopwords.ts';

export interface Terms {
  readonly stems: readonly string[];
  readonly grams: readonly string[];
}

const GRAM = 4;
const MAX_WORD = 40;

/** Collapses three or more equal letters (`bangeeet`) into one, but keeps double letters and digits. */
export function wordsOf(text: SafeText): string[] {
  const plain = normalized(text, 'NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/['’`]/g, '');
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(/([a-z])\1{2,}/g, '$1').slice(0, MAX_WORD));
}

export function meaningsOf(text: SafeText): string[] {
  const words = wordsOf(text).flatMap(spelledOut);
  const meanings: string[] = [];
  let end = 0;
  for (const [at, word] of words.entries()) {
    if (at < end) continue;
    const phrase = CONCEPTS.phrases.get(word)?.find(({ words: wanted }) => wanted.every((one, nth) => words[at + nth] === one));
    meanings.push(phrase?.concept ?? meaningOf(word));
    end = at + (phrase?.words.length ?? 1);
  }
  return meanings.filter(says);
}

export function impliedBy(text: SafeText): Terms {
  const said = new Set(meaningsOf(text));
  const implied = [...said].flatMap((word) => IMPLIED.get(word) ?? []).filter((word) => !said.has(word));
  return joined([...new Set(implied)]);
}

const WITHOUT_CONTENT: ReadonlySet<string> = new Set([...wordsIn(FILLERS), ...wordsIn(STOPWORDS)]);
const MEANINGS = entriesOf(SLANG);

const isEmpty = (word: string): boolean => WITHOUT_CONTENT.has(word);
const says = (word: string): boolean => !isEmpty(word) && !isEmpty(bare(word));

export function termsOf(text: SafeText, isKnown: (stem: string) => boolean = () => true): Terms {
  // A number of up to three digits that occurs in no text is a mere quantity (`for 10 days`).
  const known = (word: string): boolean => isKnown(partsOf(word).stem);
  const meanings = meaningsOf(text).filter((word) => !SHORT_NUMBER.test(word) || known(word));
  if (!SHIPPING_COST.every((concept) => meanings.includes(concept))) return joined(meanings);
  return joined(meanings.map((word) => (CITY_NAMES.has(word) && !known(word) ? ANY_CITY : word)));
}

const CITY_NAMES: ReadonlySet<string> = wordsIn(CITIES);
const ANY_CITY = 'kota';
/** Together, these concepts mean shipping costs. A city that no text mentions then means any city. */
const SHIPPING_COST = ['harga', 'kirim'];

const SHORT_NUMBER = /^\d{1,3}$/;

function joined(words: readonly string[]): Terms {
  const known = words.map(partsOf);
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

function spelledOut(word: string): readonly string[] {
  return MEANINGS.get(word) ?? MEANINGS.get(bare(word)) ?? [word];
}

const bare = (word: string): string => (word.length > 5 ? word.replace(/(nya|nyah|ku|mu|lah|kah)$/, '') : word);

function meaningOf(word: string): string {
  const known = CONCEPTS.words.get(word) ?? CONCEPTS.words.get(bare(word));
  if (known !== undefined) return known;
  for (const form of [...englishForms(word), ...spokenForms(word)]) {
    const concept = CONCEPTS.words.get(form) ?? CONCEPTS.words.get(indonesian(form));
    if (concept !== undefined) return concept;
  }
  return word;
}

function englishForms(word: string): readonly string[] {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return [];
  return ENDINGS.flatMap(([ending, starts]) => (ending.test(word) ? starts.map((start) => word.replace(ending, start)) : []));
}

const ENDINGS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/ies$/, ['y']],
  [/(?<=[^s])s$/, ['']],
  [/(?<=s|x|z|ch|sh)es$/, ['']],
  [/(?<=..[^e])ing$/, ['', 'e']],
  [/(?<=..)ed$/, ['', 'e']],
  [/(?<=...)ly$/, ['']],
];

/** Returns the forms from which a colloquial verb may derive: `cuci` for `nyuciin`. */
function spokenForms(word: string): readonly string[] {
  if (word.length < 5 || !/^[a-z]+$/.test(word)) return [];
  const ends = [word, bare(word), word.replace(/(in|an)$/, '')];
  const starts = ends.flatMap((end) => {
    const [, nasal = '', rest = ''] = /^(nge|ng|ny|n|m)?(.*)$/.exec(end) ?? [];
    return [end, end.replace(/^di/, ''), ...(HIDDEN[nasal] ?? []).map((letter) => letter + rest)];
  });
  return [...new Set(starts)].filter((form) => form.length >= 3);
}

const HIDDEN: Readonly<Record<string, readonly string[]>> = { nge: ['', 'ke'], ng: ['', 'k'], ny: ['s', 'c'], n: ['t'], m: ['p'] };

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
