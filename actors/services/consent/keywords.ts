import { present } from '../../../runtime/invariant.ts';
import { normalized, type SafeText, safeText } from '../../../runtime/safe-text.ts';
import { matchedPart } from '../../domain/matched-part.ts';
import { WITH_MARKS_ONLY } from './words/opt-out.ts';

/** Whether this message, as a whole, is one of the words. */
export type IsOneOf = (text: SafeText) => boolean;

/**
 * Compiles a list of words. Overlooked are case (of Turkish too), widths and letter styles, invisible
 * characters, punctuation and emoji, apostrophes, diacritics that people leave out, letters that are spaced out (`S T O P`) or drawn out
 * (`stoooop`), and look-alikes of the other alphabet. A word that is nothing but punctuation or emoji counts as it is.
 */
export function compileWords(words: readonly string[]): IsOneOf {
  const known = new Map<string, readonly string[]>();
  for (const plain of words.map(plainOf).filter((word) => word !== '')) {
    const bare = withoutMarks(plain);
    known.set(bare, [...(known.get(bare) ?? []), plain]);
  }
  const literal = new Set(words.filter((word) => plainOf(word) === '').map(trimmed));
  const isKnown = (said: string): boolean => known.get(withoutMarks(said))?.some((word) => isWordAsWritten(word, said)) ?? false;

  return (message) => {
    const { text, isAll } = matchedPart(message);
    if (!isAll) return false;
    const said = plainOf(text);
    return said === '' ? literal.has(trimmed(text)) : readings(said).some(isKnown);
  };
}

const trimmed = (text: string): string => text.replace(/[\p{DI}\s]/gu, '');

/** How a text reads with everything overlooked but its diacritics. */
function plainOf(text: string): string {
  const letters = normalized(safeText(text.replace(SQUARED, asLetter).replace(APOSTROPHES, '')), 'NFKC');
  const words = unified(letters.replace(/\p{DI}/gu, '').toLowerCase()).replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ');
  return normalized(safeText(words), 'NFC').replace(LEFT_OVER, '').trim();
}

const APOSTROPHES = /['’‘ʼʻ`´′‛]/g;
/** Characters that belong to no letter: ornaments, and the dot that lower case leaves of a Turkish İ. */
const LEFT_OVER = /[\u0300-\u036f\u20dd-\u20e4]/g;
/** White letters in black circles and squares, which Unicode does not class as letters. */
const SQUARED = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}]/gu;

function asLetter(symbol: string): string {
  const code = present(symbol.codePointAt(0), 'a letter');
  return String.fromCodePoint(0x61 + code - (code >= 0x1f170 ? 0x1f170 : 0x1f150));
}

/** Letters that differ in spelling only; Arabic and Hebrew without their points. */
const SAME: Readonly<Record<string, string>> = {
  ß: 'ss',
  ς: 'σ',
  ı: 'i',
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ة: 'ه',
  ہ: 'ه',
  ۀ: 'ه',
  ک: 'ك',
};
const POINTS = /[\u0591-\u05c7\u064b-\u065f\u0670\u0640]/g;
const RESPELLED = new RegExp(`[${Object.keys(SAME).join('')}]`, 'gu');

const unified = (text: string): string => text.replace(POINTS, '').replace(RESPELLED, (letter) => SAME[letter] ?? letter);

/** Letters whose mark is part of them. */
const BASES: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ŧ: 't', æ: 'ae', œ: 'oe', þ: 'th', ŋ: 'n' };
const MARKED = new RegExp(`[${Object.keys(BASES).join('')}]`, 'gu');

const withoutMarks = (text: string): string =>
  normalized(safeText(text), 'NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(MARKED, (letter) => BASES[letter] ?? letter);

const marksNeeded: ReadonlySet<string> = new Set(WITH_MARKS_ONLY.map(plainOf));

/** `said` is `word` but for marks. People leave marks out; who writes other ones writes another word. */
function isWordAsWritten(word: string, said: string): boolean {
  if (said === word) return true;
  if (marksNeeded.has(word)) return false;
  const [wanted, written] = [[...word], [...said]];
  if (wanted.length !== written.length) return said === withoutMarks(said);
  return wanted.every((letter, nth) => {
    const one = written[nth];
    return one !== undefined && (one === letter || leavesOut(letter, one));
  });
}

/** Is `letter` this one without some of its marks? */
function leavesOut(wanted: string, letter: string): boolean {
  if (letter === withoutMarks(wanted)) return true;
  const marks = new Set(normalized(safeText(wanted), 'NFD'));
  return [...normalized(safeText(letter), 'NFD')].every((part) => marks.has(part));
}

/** All that a text may mean to say: as it is, drawn together, shortened, in the other alphabet. */
function readings(said: string): readonly string[] {
  const together = /^\S(?: \S){2,}$/u.test(said) ? [said.replaceAll(' ', '')] : [];
  const short = said.replace(/(\p{L})\1{2,}/gu, '$1');
  return [said, ...together, ...(short === said ? [] : [short]), ...alike(said)];
}

const CYRILLIC = 'авекмнорстухѕіј';
const LATIN = 'abekmhopctyxsij';

function alike(said: string): readonly string[] {
  if (!/\p{Script=Cyrillic}/u.test(said)) return [];
  return [translated(said, CYRILLIC, LATIN), translated(said, LATIN, CYRILLIC)];
}

const translated = (text: string, from: string, to: string): string =>
  text.replace(/\p{L}/gu, (letter) => to[from.indexOf(letter)] ?? letter);
