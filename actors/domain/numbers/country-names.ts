import { getCountries, getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max';
import { normalized, safeText } from '../../../runtime/safe-text.ts';

/**
 * Recognizes a country that is named next to a number or in a column: by its CLDR name, another
 * common name, a flag, an ISO code or a calling code.
 */

/** Reads a cell that holds an ISO code, a country name from the CLDR, or a calling code. */
export function callingCodeIn(cell: string): string | null {
  const code = /(?:^|\(|\s)\+?\s?(\d{1,4})\)?$/.exec(cell.trim())?.[1];
  if (code !== undefined) return CALLING_CODES.has(code) ? code : null;
  return codeOf(cell.trim().toUpperCase()) ?? names().get(plain(cell)) ?? null;
}

/** Calling codes from brackets and flags. Ignores short Latin words, because they may be names. */
export function callingCodesBeside(text: string): readonly string[] {
  const words = [...text.matchAll(BRACKETS)].flatMap(([, inside = '']) => inside.split(/[,;/|&]/)).map(plain);
  const named = words.flatMap((word) => (SHORT_LATIN.test(word) && !USUAL_NAMES.has(word) ? [] : (names().get(word) ?? [])));
  const flags = [...text.matchAll(FLAG)].flatMap(([flag]) => codeOf(isoOf(flag)) ?? []);
  return [...new Set([...named, ...flags])];
}

const BRACKETS = /[([]([^()[\]\d]{2,100})[)\]]/gu;
const SHORT_LATIN = /^\p{Script=Latin}{0,3}$/u;
const FLAG = /\p{RI}{2}/gu;
const FIRST_REGIONAL = 0x1f1e6;
const FIRST_LETTER = 0x41;

const isoOf = (flag: string): string =>
  String.fromCharCode(...[...flag].map((sign) => (sign.codePointAt(0) ?? 0) - FIRST_REGIONAL + FIRST_LETTER));

const codeOf = (iso: string): string | undefined => (isSupportedCountry(iso) ? getCountryCallingCode(iso) : undefined);

const LANGUAGES = [
  ...['en', 'id', 'es', 'pt', 'fr', 'de', 'ar', 'hi'],
  ...['ms', 'it', 'nl', 'tr', 'pl', 'ru', 'vi', 'th', 'zh', 'zh-Hant', 'ja', 'ko', 'fil', 'fa', 'ur', 'bn'],
];
const CALLING_CODES: ReadonlySet<string> = new Set(getCountries().map((country) => getCountryCallingCode(country)));

const plain = (name: string): string =>
  normalized(safeText(name), 'NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[.'’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

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

const USUAL_NAMES: ReadonlySet<string> = new Set(Object.values(USUAL).flatMap((all) => all.split('|')));

let known: ReadonlyMap<string, string> | null = null;

/** Built on first use, because preparing 6,000 names takes some milliseconds. */
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
