import { present } from '../../../runtime/invariant.ts';
import { normalized, type SafeText, safeText } from '../../../runtime/safe-text.ts';
import { matchedPart } from '../../domain/matched-part.ts';
import { beforeSignature } from './signature.ts';
import { COURTESY, type Courtesy, INTERNATIONAL } from './words/courtesy.ts';
import { OPT_OUT, WITH_MARKS_ONLY } from './words/opt-out.ts';

export type IsOneOf = (text: SafeText) => boolean;

/** Ignores case, style, punctuation, emoji, diacritics, `S T O P`, `stoooop` and lookalikes. */
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

/** Matches keywords, also repeated ("STOP STOP"), polite ("tolong stop ya kak") or above a signature. */
export function compileOptOut(words: readonly string[]): IsOneOf {
  const isOneOf = compileWords(words);
  const dressings = dressingsFor(words);
  const isPolite = (text: SafeText): boolean => {
    const { text: part, isAll } = matchedPart(text);
    if (!isAll || /[?？؟]/.test(part)) return false;
    const said = plainOf(part);
    const once = withoutRepeats(said);
    if (once !== said && isOneOf(safeText(once))) return true;
    const spoken = { whole: said, words: said.split(' '), bare: withoutMarks(said).split(' ') };
    return dressings.some(({ undressed, isKnown }) => {
      const left = undressed(spoken);
      const core = left === said ? said : withoutRepeats(left);
      return core !== said && core !== '' && isKnown(safeText(core));
    });
  };
  const isMeant = (text: SafeText): boolean => isOneOf(text) || isPolite(text);
  return (message) => {
    if (isMeant(message)) return true;
    const above = beforeSignature(message);
    return above !== null && isMeant(safeText(above));
  };
}

/** Returns one copy of a repeated text. Texts are at most 400 characters long here. */
const withoutRepeats = (said: string): string => /^(.{2,60}?)(?: \1)+$/u.exec(said)?.[1] ?? said;

interface Spoken {
  readonly whole: string;
  readonly words: readonly string[];
  readonly bare: readonly string[];
}

interface Dressing {
  readonly undressed: (said: Spoken) => string;
  readonly isKnown: IsOneOf;
}

/** Polite phrases around a keyword. A tenant's own keyword may have those of any language. */
function dressingsFor(words: readonly string[]): readonly Dressing[] {
  const listed = new Set(words.map(plainOf));
  const usual = new Set(Object.values(OPT_OUT).flatMap(plainWords));
  const own = [...listed].filter((word) => !usual.has(word));
  return Object.entries(COURTESY).map(([language, courtesy]) => {
    const bare = new Set(plainWords(courtesy.bare));
    const understood = [...plainWords(OPT_OUT[language] ?? ''), ...plainWords(INTERNATIONAL)];
    const isKnown = compileWords([...own, ...understood.filter((word) => listed.has(word) && !bare.has(word))]);
    return { undressed: undresser(courtesy), isKnown };
  });
}

const plainWords = (sayings: string): readonly string[] =>
  sayings
    .split('|')
    .map(plainOf)
    .filter((word) => word !== '');

const MOST_COURTESIES = 4;

function undresser({ before, after }: Courtesy): Dressing['undressed'] {
  const [first, last] = [new Set(plainWords(before).map(withoutMarks)), new Set(plainWords(after).map(withoutMarks))];
  const [starts, ends] = [new Set([...first].map((one) => one.split(' ')[0])), new Set([...last].map((one) => one.split(' ').at(-1)))];
  return ({ words, bare, whole }) => {
    if (!starts.has(bare[0]) && !ends.has(bare.at(-1))) return whole;
    let [from, to] = [0, bare.length];
    for (let nth = 0; nth < MOST_COURTESIES; nth += 1)
      from += COURTESY_LENGTHS.find((length) => from + length <= to && first.has(bare.slice(from, from + length).join(' '))) ?? 0;
    for (let nth = 0; nth < MOST_COURTESIES; nth += 1)
      to -= COURTESY_LENGTHS.find((length) => to - length >= from && last.has(bare.slice(to - length, to).join(' '))) ?? 0;
    return words.slice(from, to).join(' ');
  };
}

const COURTESY_LENGTHS = [4, 3, 2, 1];

const trimmed = (text: string): string => text.replace(/[\p{DI}\s]/gu, '');

function plainOf(text: string): string {
  const letters = normalized(safeText(text.replace(SQUARED, asLetter).replace(APOSTROPHES, '')), 'NFKC');
  const words = unified(letters.replace(/\p{DI}/gu, '').toLowerCase()).replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ');
  return normalized(safeText(words), 'NFC').replace(LEFT_OVER, '').trim();
}

const APOSTROPHES = /['’‘ʼʻ`´′‛]/g;
const LEFT_OVER = /[\u0300-\u036f\u20dd-\u20e4]/g;
/** White letters in black circles and squares, which Unicode does not classify as letters. */
const SQUARED = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}]/gu;

function asLetter(symbol: string): string {
  const code = present(symbol.codePointAt(0), 'a letter');
  return String.fromCodePoint(0x61 + code - (code >= 0x1f170 ? 0x1f170 : 0x1f150));
}

/** Letters that are only spelled differently. Arabic and Hebrew vowel points are removed beforehand. */
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

const BASES: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ŧ: 't', æ: 'ae', œ: 'oe', þ: 'th', ŋ: 'n' };
const MARKED = new RegExp(`[${Object.keys(BASES).join('')}]`, 'gu');

const withoutMarks = (text: string): string =>
  normalized(safeText(text), 'NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(MARKED, (letter) => BASES[letter] ?? letter);

const marksNeeded: ReadonlySet<string> = new Set(WITH_MARKS_ONLY.map(plainOf));

/** Whether a word matches a keyword. The word may lack diacritics, but must not have different ones. */
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

function leavesOut(wanted: string, letter: string): boolean {
  if (letter === withoutMarks(wanted)) return true;
  const marks = new Set(normalized(safeText(wanted), 'NFD'));
  return [...normalized(safeText(letter), 'NFD')].every((part) => marks.has(part));
}

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
