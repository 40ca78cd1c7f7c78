import { getCountries, getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max';
import { normalized, safeText } from '../../../../runtime/safe-text.ts';
import { folded } from '../../../../store/contacts/contacts.ts';

/**
 * Returns null for an unknown country. A cell may hold an ISO code, a country name, or the calling code. Names
 * come from the runtime's CLDR data.
 */
export function callingCodeIn(cell: string): string | null {
  const code = /(?:^|\(|\s)\+?\s?(\d{1,4})\)?$/.exec(cell.trim())?.[1];
  if (code !== undefined) return CALLING_CODES.has(code) ? code : null;
  const upper = cell.trim().toUpperCase();
  if (isSupportedCountry(upper)) return getCountryCallingCode(upper);
  return names().get(plain(cell)) ?? null;
}

const LANGUAGES = [
  ...['en', 'id', 'es', 'pt', 'fr', 'de', 'ar', 'hi'],
  ...['ms', 'it', 'nl', 'tr', 'pl', 'ru', 'vi', 'th', 'zh', 'zh-Hant', 'ja', 'ko', 'fil', 'fa', 'ur', 'bn'],
];
const CALLING_CODES: ReadonlySet<string> = new Set(getCountries().map((country) => getCountryCallingCode(country)));

const plain = (name: string): string =>
  normalized(safeText(folded(name)), 'NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[.'’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

/** Common names that CLDR lacks. */
const USUAL: Readonly<Record<string, string>> = {
  GB: 'uk|great britain|england|scotland|wales|inggris',
  US: 'usa|u s a|america|united states of america|amerika|amerika serikat|ee uu|eua',
  AE: 'uae|emirates|uea',
  KR: 'korea|south korea|republic of korea|korea selatan',
  NL: 'holland|the netherlands|belanda',
  CZ: 'czech republic',
  VN: 'viet nam',
  RU: 'russian federation',
  TR: 'turkey',
  CI: 'ivory coast',
  HK: 'hong kong',
  MO: 'macau|macao',
  TW: 'taiwan roc',
  CN: 'prc|peoples republic of china|mainland china|tiongkok|cina',
  ID: 'indonesia|ri|republik indonesia',
};

let known: ReadonlyMap<string, string> | null = null;

/** Built for the first file with a country column, because 6,000 names take some milliseconds. */
function names(): ReadonlyMap<string, string> {
  known ??= new Map([
    ...LANGUAGES.flatMap((language) => {
      const shown = new Intl.DisplayNames([language], { type: 'region' });
      return getCountries().map((country) => [plain(shown.of(country) ?? country), getCountryCallingCode(country)] as const);
    }),
    ...getCountries().flatMap((country) =>
      (USUAL[country] ?? '').split('|').map((name) => [name, getCountryCallingCode(country)] as const),
    ),
  ]);
  return known;
}
