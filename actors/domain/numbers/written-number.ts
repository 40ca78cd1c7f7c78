import { at, present } from '../../../runtime/invariant.ts';
import { normalized, safeText } from '../../../runtime/safe-text.ts';
import { callingCodesBeside } from './country-names.ts';

/**
 * Finds the one phone number in a text, without knowledge of numbering plans. No other module
 * handles separators, digits of any script, words, `tel:`, `wa.me/`, spreadsheet forms and
 * extensions. Text with two numbers, or with digits that may not belong, is refused, because joined
 * digits would be another person's number.
 */

export type Written = WrittenDigits | { readonly kind: 'address'; readonly digits: string } | { readonly kind: NotOneNumber };

interface WrittenDigits {
  readonly kind: 'number';
  readonly digits: string;
  /** Whether the number begins with `+`, or is in a link that allows only international numbers. */
  readonly isInternational: boolean;
  /** Calling code of the country that is named in brackets or shown by a flag. */
  readonly country?: string;
}

export type NotOneNumber = 'empty' | 'not_a_number' | 'several_numbers' | 'digits_lost';

const LONGEST_WRITTEN = 200;

/** International numbers have at most 15 digits. A prefix or extra zeros may precede them. */
const MOST_DIGITS = 20;
const LEAST_BESIDE = 7;
const LEAST_DIGITS = 4;
const MOST_IN_WORDS = 2;

const PLAIN = /^\+?\d[\d\s\-()]{3,24}\d$/;
const ADDRESS = /^([1-9]\d{4,14})@(?:s\.whatsapp\.net|c\.us)$/i;
const LINK = /(?:\bwa\.me\/|[?&]phone=)((?:\+|%2b|%20|[\d\s().-])*\d)/i;
const SCHEME = /^\s*(?:tel|sms|callto|whatsapp)\s*:(?:\/\/)?/i;
const PARAMETER = /;[a-z-]+=/i;
const SCIENTIFIC = /^\+?(\d)(?:[.,](\d+))?E\+?(\d{1,2})$/i;
/** Matches a whole number that a spreadsheet wrote with decimals. */
const WITH_DECIMALS = /^(\+?(?:\d{6,}|\d{1,3}(?:([.,' ])\d{3})(?:\2\d{3})+))[.,]0{1,2}$/;
const EXTENSION =
  /(?<=\d[\s\p{P}]{0,4})(?:(?:ext(?:ension|n)?|extensión|extensi|ekst(?:ensi)?|xtn|pesawat|poste|ramal|anexo|interno|durchwahl|доб|x)[\s.:=#-]{0,3}|#\s?|,,)\d{1,7}[\s)\]#]*$/iu;
/** Digits in brackets after a number are ambiguous, because they may be another ending or a count. */
const DANGLING = /[([]\s*\d{1,3}\s*[)\]]\s*$/;
/** A letter in place of a digit, typed or scanned, makes a number ambiguous. */
const LOOKALIKE = /(?<!\p{L})[OoIl](?=\d{3})|(?<=\d\d[\s.-]?\d)[OoQDIlSsBZz](?!\p{L})/u;
/** `/` does not separate numbers, because it may also follow an area code. */
const BETWEEN_NUMBERS = /[\n\r\t;|,&:]|(?<=\d[^\d]*)(?=\+)/;

export function writtenNumber(text: string): Written {
  if (text.length > LONGEST_WRITTEN) return { kind: 'not_a_number' };
  if (PLAIN.test(text)) return number(text);
  const clean = simplified(text);
  if (clean === '') return { kind: 'empty' };
  const address = ADDRESS.exec(clean)?.[1];
  if (address !== undefined) return { kind: 'address', digits: address };
  const linked = LINK.exec(clean)?.[1];
  if (linked !== undefined) return fromLink(linked);
  if (clean.includes('@') || /:\/\//.test(clean.replace(SCHEME, ''))) return { kind: 'not_a_number' };
  const [, first, rest = '', exponent] = SCIENTIFIC.exec(clean) ?? [];
  if (first !== undefined) return rest.length === Number(exponent) ? number(first + rest) : { kind: 'digits_lost' };
  return ofCountry(amongWords(withoutExtension(clean)), callingCodesBeside(clean));
}

function simplified(text: string): string {
  const bare = normalized(safeText(text.toWellFormed()), 'NFKC')
    .replace(/[\p{Cf}\p{M}\0]/gu, '')
    .replace(/\p{Nd}/gu, digitOf)
    .replace(/[\u2795\uFE62]/g, '+')
    // Japanese text may use a long-vowel mark as a hyphen. Brazil writes 0xx for carrier digits.
    .replace(/\p{Pd}|\u2212|(?<=\d)\u30FC(?=\d)/gu, '-')
    .replace(/0xx(?=\s?\d\d)/i, '0')
    .trim();
  return /^="(.*)"$/s.exec(bare)?.[1]?.trim() ?? bare.replace(/^'/, '');
}

/** Digits of a script are consecutive in Unicode. */
function digitOf(digit: string): string {
  const code = present(digit.codePointAt(0), 'a digit');
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}

/** Links contain international numbers, but digits that start with a zero were typed by hand. */
function fromLink(linked: string): Written {
  const found = number(linked.replace(/%2b/gi, '+').replace(/%20/g, ' '));
  return found.kind === 'number' && !found.digits.startsWith('0') ? { ...found, isInternational: true } : found;
}

function withoutExtension(text: string): string {
  const decimals = WITH_DECIMALS.exec(text)?.[1];
  if (decimals !== undefined) return decimals;
  const bare = SCHEME.test(text) ? at(text.replace(SCHEME, '').split(PARAMETER), 0) : text;
  const main = bare.replace(EXTENSION, '');
  return digitsOf(main).length >= LEAST_BESIDE ? main : bare;
}

function ofCountry(found: Written, [country, ...others]: readonly string[]): Written {
  if (found.kind !== 'number' || country === undefined) return found;
  return others.length > 0 ? { kind: 'not_a_number' } : { ...found, country };
}

function amongWords(text: string): Written {
  if (LOOKALIKE.test(text)) return { kind: 'not_a_number' };
  const chunk = mainOf(text.split(/\p{L}+/u));
  if (typeof chunk !== 'string') return chunk;
  const piece = mainOf(chunk.split(BETWEEN_NUMBERS), chunk);
  if (typeof piece !== 'string') return piece;
  const [area = '', ...rest] = piece.split('/').filter((part) => /\d/.test(part));
  if (rest.length > 0 && digitsOf(area).length >= LEAST_BESIDE) return { kind: 'several_numbers' };
  if (DANGLING.test(piece) && digitsOf(piece.replace(DANGLING, '')).length >= LEAST_BESIDE) return { kind: 'not_a_number' };
  return /\d[^\d]*\+/.test(piece) ? { kind: 'not_a_number' } : number(piece);
}

function mainOf(parts: readonly string[], whole?: string): string | { readonly kind: NotOneNumber } {
  const some = parts.filter((part) => /\d/.test(part));
  const [long, ...more] = some.filter((part) => digitsOf(part).length >= LEAST_BESIDE);
  if (more.length > 0) return { kind: 'several_numbers' };
  if (long === undefined) return some.length === 1 ? at(some, 0) : (whole ?? { kind: 'not_a_number' });
  return some.every((part) => part === long || digitsOf(part).length <= MOST_IN_WORDS) ? long : { kind: 'not_a_number' };
}

function number(text: string): Written {
  const digits = digitsOf(text);
  if (digits.length < LEAST_DIGITS || digits.length > MOST_DIGITS) return { kind: 'not_a_number' };
  return { kind: 'number', digits, isInternational: /^[^\d]*\+/.test(text) };
}

const digitsOf = (text: string): string => text.replace(/\D/g, '');
