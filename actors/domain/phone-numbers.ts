import { type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { RecentCache } from '../../runtime/recent-cache.ts';
import { type CountryFacts, countryFacts, isCountry, mainCountryOf } from './countries.ts';

export function partsOfNumber(typed: string, callingCode: string | null): readonly string[] {
  const digits = typed.replace(/\D/g, '');
  if (!/^[+(\d][\d\s\-().]*$/.test(typed.trim()) || digits === '') return [];
  const rest = digits.replace(/^0+/, '');
  return callingCode === null || rest === '' || rest === digits ? [digits] : [digits, callingCode + rest];
}

export interface NumberFacts extends CountryFacts {
  readonly display: string;
}

const described = new RecentCache<string, NumberFacts>(20_000);

/** Returns null for satellite and freephone numbers, which have no country. */
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

const international = (digits: string): PhoneNumber | undefined => parsePhoneNumberFromString(`+${digits}`);

export function writtenForms(digits: string): readonly string[] {
  const national = international(digits)?.nationalNumber;
  return [digits, `00${digits}`, ...(national ? [`0${national}`] : [])];
}
