import { getCountries, getCountryCallingCode, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { RecentCache } from '../../runtime/recent-cache.ts';
import { isJid, modernJid, userJid } from '../network/jid.ts';
import { type CountryFacts, countryFacts, isCountry, mainCountryOf } from './countries.ts';
import { refusal } from './refusals.ts';

const LONGEST_CHAT_ID = 64;
const WRITTEN_NUMBER = /^\+?[\d\s\-()]{5,32}$/;

/** Parsing costs some 5 us; the same few thousand recipients come again and again. */
const resolved = new RecentCache<string, string>(20_000);

/**
 * The digits, country code first, of a number as people write it: international with `+` or `00`, in local format
 * for `callingCode` (digits; null: local format cannot be resolved), or the full digits. Refuses INVALID_NUMBER.
 */
export function resolveNumber(input: string, callingCode: string | null): string {
  const key = `${callingCode}|${input}`;
  const known = resolved.get(key);
  if (known !== undefined) return known;
  const digits = parseNumber(input, callingCode);
  if (digits === null) throw refusal('INVALID_NUMBER', { reason: input.slice(0, 32) });
  resolved.set(key, digits);
  return digits;
}

/** The network address of a chat: an address as it is (`@c.us` as of today), or that of a number's person. Refuses INVALID_JID, INVALID_NUMBER. */
export function resolveChat(input: string, callingCode: string | null): string {
  if (!input.includes('@')) return userJid(resolveNumber(input, callingCode));
  const jid = modernJid(input);
  if (jid.length > LONGEST_CHAT_ID || !isJid(jid)) throw refusal('INVALID_JID', { reason: FORMS });
  return jid;
}

const FORMS = {
  en: 'write a phone number, or digits and @s.whatsapp.net, @g.us, @newsletter, @broadcast or @lid',
  id: 'tulis nomor telepon, atau angka dan @s.whatsapp.net, @g.us, @newsletter, @broadcast atau @lid',
};

/**
 * What somebody who looks for part of a number means, as digits of stored ones: as it is typed, and where it begins with 0 also with the code
 * of their country in its place. Empty: that is no part of a number.
 */
export function partsOfNumber(typed: string, callingCode: string | null): readonly string[] {
  const digits = typed.replace(/\D/g, '');
  if (!/^[+(\d][\d\s\-().]*$/.test(typed.trim()) || digits === '') return [];
  const rest = digits.replace(/^0+/, '');
  return callingCode === null || rest === '' || rest === digits ? [digits] : [digits, callingCode + rest];
}

/** The country data that a number implies for a business, and its display form. */
export interface NumberFacts extends CountryFacts {
  /** International format with `+` and spaces. */
  readonly display: string;
}

const described = new RecentCache<string, NumberFacts>(20_000);

/** The facts of `digits` (country code first); null when they belong to no country (satellite and freephone numbers). */
export function factsOf(digits: string): NumberFacts | null {
  const known = described.get(digits) ?? describe(digits);
  if (known) described.set(digits, known);
  return known;
}

function describe(digits: string): NumberFacts | null {
  const number = international(digits);
  const country = number && (number.country ?? mainCountryOf(number.countryCallingCode));
  return number && country && isCountry(country) ? { ...countryFacts(country), display: number.formatInternational() } : null;
}

function parseNumber(input: string, callingCode: string | null): string | null {
  if (!WRITTEN_NUMBER.test(input)) return null;
  const bare = input.replace(/[\s\-()]/g, '').replace(/^00/, '+');
  if (bare.startsWith('+')) return asDigits(international(bare.slice(1)), 'possible');
  if (bare.startsWith('0')) return asDigits(local(bare, callingCode), 'possible');
  return likeliest(bare, callingCode);
}

/**
 * Digits with neither `+` nor a leading 0 can be read both ways; a 0 that people leave behind their country's code goes, where it is none of
 * the number's own. A mobile number at home wins over a foreign number, and that over a
 * fixed line at home, because it is mobiles that have chats.
 */
function likeliest(digits: string, callingCode: string | null): string | null {
  const abroad = international(digits);
  if (callingCode !== null && digits.startsWith(callingCode) && abroad?.isPossible())
    return digits[callingCode.length] === '0' ? abroad.number.slice(1) : digits;
  const home = local(digits, callingCode);
  return (
    asDigits(home, 'mobile') ??
    asDigits(abroad, 'valid') ??
    asDigits(home, 'valid') ??
    asDigits(home, 'possible') ??
    asDigits(abroad, 'possible')
  );
}

const international = (digits: string): PhoneNumber | undefined => parsePhoneNumberFromString(`+${digits}`);

const CALLING_CODES: ReadonlySet<string> = new Set(getCountries().map((country) => getCountryCallingCode(country)));

/** The library throws for an unused calling code. */
const local = (digits: string, callingCode: string | null): PhoneNumber | undefined =>
  callingCode !== null && CALLING_CODES.has(callingCode)
    ? parsePhoneNumberFromString(digits, { defaultCallingCode: callingCode })
    : undefined;

type Belief = 'possible' | 'valid' | 'mobile';

function asDigits(number: PhoneNumber | undefined, belief: Belief): string | null {
  return number && isBelieved(number, belief) ? number.number.slice(1) : null;
}

/** `possible` goes by length only: numbering plans change faster than any library's copy of them. */
function isBelieved(number: PhoneNumber, belief: Belief): boolean {
  if (belief === 'possible') return number.isPossible();
  if (belief === 'valid') return number.isValid();
  const type = number.getType();
  return type === 'MOBILE' || type === 'FIXED_LINE_OR_MOBILE';
}

/** The digits of a number as people and shops write them: with its country code, after `00`, and as it is dialled at home. */
export function writtenForms(digits: string): readonly string[] {
  const national = international(digits)?.nationalNumber;
  return [digits, `00${digits}`, ...(national ? [`0${national}`] : [])];
}
