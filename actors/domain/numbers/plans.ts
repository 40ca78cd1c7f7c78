import { type CountryCode, getCountries, getCountryCallingCode, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { mainCountryOf } from '../countries.ts';
import { FORMER_TRUNKS, todaysForm } from './twins.ts';

export interface Planned {
  readonly digits: string;
  readonly callingCode: string;
  /** `plausible`: as long as a mobile number, but in no range of our copy of the plans. */
  degree(): Degree;
  /** Includes any trunk digit. Null if the number has a format from before a plan change. */
  nationalForm(): string | null;
}

export type Degree = 'mobile' | 'valid' | 'plausible' | 'possible';

/** Converts a number that predates a numbering-plan change to its current format. */
export function international(digits: string): Planned | null {
  const today = todaysForm(digits);
  const moved = today === null ? undefined : parsePhoneNumberFromString(`+${today}`);
  const number = parsePhoneNumberFromString(`+${digits}`);
  if (moved?.isValid() && !number?.isValid()) return formerly(digits, moved);
  return number && isCredible(number) ? planned(number) : null;
}

export function national(digits: string, callingCode: string): Planned | null {
  // Check the calling code first, because the library throws for an unused one.
  if (!CALLING_CODES.has(callingCode)) return null;
  const collect = COLLECT_CALLS[callingCode]?.exec(digits)?.[1];
  if (collect !== undefined) return national(collect, callingCode);
  const former = formerNational(digits, callingCode);
  const number = parsePhoneNumberFromString(digits, { defaultCallingCode: callingCode });
  if (former && !number?.isValid()) return former;
  return number?.countryCallingCode === callingCode && isCredible(number) ? planned(number) : null;
}

/** Digits allowed beyond the example mobile number's length. Indonesian numbers have nine to twelve. */
const MORE_DIGITS = 3;

/** In plans without strict lengths, a number much longer than usual must be in a known range. */
function isCredible(number: PhoneNumber): boolean {
  if (!number.isPossible()) return false;
  const usual = usualOf(number);
  return usual === null || number.nationalNumber.length <= usual + MORE_DIGITS || number.isValid();
}

function usualOf({ country, countryCallingCode }: PhoneNumber): number | null {
  const home = country ?? MAIN_COUNTRIES.get(countryCallingCode);
  return (home && examples[home]?.length) ?? null;
}

/** Reads a number after an international prefix, such as `011` in the United States. */
export function abroad(digits: string, callingCode: string): Planned | null {
  const country = MAIN_COUNTRIES.get(callingCode);
  const behind = CARRIERS_ABROAD[callingCode]?.exec(digits)?.[1];
  const other = behind === undefined ? null : international(behind);
  if (other && other.callingCode !== callingCode && ['mobile', 'valid'].includes(other.degree())) return other;
  const number = country && parsePhoneNumberFromString(digits, { defaultCountry: country });
  return number && number.countryCallingCode !== callingCode && number.isValid() ? planned(number) : null;
}

/** Prefixes that libphonenumber lacks: Indosat 001 and 008, Telkom 007, voice over IP 01017. */
const CARRIERS_ABROAD: Readonly<Record<string, RegExp>> = { '62': /^(?:00[1789]|01017)([1-9]\d+)$/ };

/** Removes a domestic prefix after the country code: `+54 9 011 15 …`, `+52 044 55 …`. */
export function withoutMistake(digits: string): Planned | null {
  const { code: callingCode = '', rest = '' } = MARKED_MOBILE.exec(digits)?.groups ?? {};
  const home = rest === '' ? null : national(rest, callingCode);
  return home && home.degree() === 'mobile' ? home : null;
}

const MARKED_MOBILE = /^(?<code>5[24])(?:(?<=54)9|(?<=52)1)?(?<rest>0\d+)$/;

/** Matches the number after a collect-call prefix. Brazil: 9090 (Anatel, Resolução 85/1998). */
const COLLECT_CALLS: Readonly<Record<string, RegExp>> = { '55': /^9090(\d{10,11})$/ };

const CALLING_CODES: ReadonlySet<string> = new Set(getCountries().map((country) => getCountryCallingCode(country)));

const MAIN_COUNTRIES: ReadonlyMap<string, CountryCode> = new Map(
  getCountries()
    .filter((country) => mainCountryOf(getCountryCallingCode(country)) === country)
    .map((country) => [getCountryCallingCode(country), country]),
);

function formerNational(digits: string, callingCode: string): Planned | null {
  const trunk = FORMER_TRUNKS[callingCode];
  const bare = trunk ? digits.replace(trunk, '') : digits;
  const today = todaysForm(callingCode + bare);
  if (today === null && bare === digits) return null;
  const number = parsePhoneNumberFromString(`+${today ?? callingCode + bare}`);
  return number?.isValid() ? formerly(callingCode + bare, number) : null;
}

const formerly = (digits: string, today: PhoneNumber): Planned => ({
  digits,
  callingCode: today.countryCallingCode,
  degree: () => 'mobile',
  nationalForm: () => null,
});

const planned = (number: PhoneNumber): Planned => ({
  digits: number.number.slice(1),
  callingCode: number.countryCallingCode,
  degree: () => degreeOf(number),
  nationalForm: () => number.formatNational().replace(/\D/g, ''),
});

function degreeOf(number: PhoneNumber): Degree {
  const type = number.getType();
  if (type === 'MOBILE' || type === 'FIXED_LINE_OR_MOBILE') return 'mobile';
  if (type !== undefined) return 'valid';
  const usual = usualOf(number);
  return usual === null || number.nationalNumber.length >= usual ? 'plausible' : 'possible';
}
