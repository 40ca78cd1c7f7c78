import { type SafeText, safeText } from '../../../../runtime/safe-text.ts';
import { type Language, languageOf } from '../retrieval/question.ts';
import { type Claims, claimsOf, isOfCalendar, isOfStreets, plainText } from './claims.ts';

export type Void = 'empty' | 'too_long' | 'language' | 'link' | 'phone' | 'number' | 'price' | 'date' | 'address' | 'name';

const MAX_ANSWER = 800;
/** A number that is at least this high may be a price, even without a currency. */
const LEAST_PRICE = 1_000;

/** Returns why an answer is rejected. Null if the passages contain its links, numbers, dates and names. */
export function voidOf(
  answer: SafeText,
  cited: readonly string[],
  { question, language }: { question: string; language: Language },
): Void | null {
  if (!/[\p{L}\p{N}]/u.test(answer)) return 'empty';
  if (answer.length > MAX_ANSWER) return 'too_long';
  const known = claimsOf(safeText(cited.join('\n')));
  const claims = claimsOf(answer);
  const all = (told: ReadonlySet<string>, isKnown: (one: string) => boolean): boolean => [...told].every(isKnown);
  if (!all(claims.links, (link) => known.links.has(link))) return 'link';
  if (!all(claims.phones, (phone) => known.phones.has(phone) || isKnownNumber(phone, known))) return 'phone';
  if (!all(claims.amounts, (amount) => isKnownAmount(amount, known))) return 'price';
  if (!all(claims.numbers, (number) => isKnownNumber(number, known))) return 'number';
  if (!all(claims.dates, (date) => known.dates.has(date)) || !all(claims.weekdays, (day) => known.weekdays.has(day))) return 'date';
  if (!all(claims.streets, (street) => known.streets.has(street))) return 'address';
  if (!areNamesKnown(answer, safeText(`${cited.join('\n')}\n${question}`))) return 'name';
  return languageOf(answer, language) === language ? null : 'language';
}

function isKnownAmount(amount: string, { amounts, numbers }: Claims): boolean {
  const value = amount.split(' ')[1] ?? '';
  return amounts.has(amount) || (!amount.startsWith('%') && Number(value) >= LEAST_PRICE && numbers.has(value));
}

const isKnownNumber = (number: string, { amounts, numbers }: Claims): boolean =>
  numbers.has(number) || (Number(number) >= LEAST_PRICE && [...amounts].some((amount) => amount.endsWith(` ${number}`)));

const NO_NAMES: ReadonlySet<string> = new Set(
  'i anda kamu kak kakak bapak ibu pak bu mas mbak kami ya yes no tidak rp idr usd ok wib wita wit am pm cod faq whatsapp'.split(' '),
);
const NAME = /(?<![.!?:\n"“(•-]\s*|^\s*)(?<![\p{L}\p{N}])\p{Lu}\p{L}*/gu;

function areNamesKnown(answer: SafeText, known: SafeText): boolean {
  const words = new Set(wordsIn(known));
  return [...plainText(answer).matchAll(NAME)].every(([name]) => {
    const plain = name.toLowerCase();
    return NO_NAMES.has(plain) || isOfCalendar(plain) || isOfStreets(plain) || words.has(plain);
  });
}

const wordsIn = (text: SafeText): readonly string[] =>
  plainText(text)
    .toLowerCase()
    .match(/\p{L}+/gu) ?? [];

/** Removes Markdown, because a chat would show it literally. */
export const unmarked = (text: SafeText): SafeText =>
  safeText(
    plainText(text)
      .replace(/\[([^[\]\n]*)\]\(([^()\s]*)(?:\s[^()\n]*)?\)/g, (_, label: string, link: string) =>
        label === link ? link : `${label} (${link})`,
      )
      .replace(/^#{1,6}\s+/gm, '')
      .replace(/(\*\*|__|`+)/g, '')
      .replace(/[^\S\n]+/g, ' ')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  );
