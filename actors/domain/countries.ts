import { type CountryCode, getCountries, getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max';

export interface CountryFacts {
  readonly country: string;
  readonly callingCode: string;
  readonly timezone: string;
  readonly locale: 'en' | 'id';
  readonly currency: 'IDR' | 'USD';
  /** Time zones, main zone first. Empty if the country has no zones of its own. */
  readonly zones: readonly string[];
}

/** Main zones of countries whose list starts with a less populous zone or an outdated name. */
const MAIN_ZONE: Readonly<Record<string, string>> = {
  AR: 'America/Argentina/Buenos_Aires',
  AU: 'Australia/Sydney',
  BR: 'America/Sao_Paulo',
  CA: 'America/Toronto',
  CD: 'Africa/Kinshasa',
  CL: 'America/Santiago',
  CN: 'Asia/Shanghai',
  EC: 'America/Guayaquil',
  ES: 'Europe/Madrid',
  FM: 'Pacific/Pohnpei',
  GL: 'America/Nuuk',
  IN: 'Asia/Kolkata',
  KI: 'Pacific/Tarawa',
  MM: 'Asia/Yangon',
  MN: 'Asia/Ulaanbaatar',
  MX: 'America/Mexico_City',
  MY: 'Asia/Kuala_Lumpur',
  NP: 'Asia/Kathmandu',
  NZ: 'Pacific/Auckland',
  PF: 'Pacific/Tahiti',
  PG: 'Pacific/Port_Moresby',
  PS: 'Asia/Hebron',
  PT: 'Europe/Lisbon',
  RU: 'Europe/Moscow',
  UA: 'Europe/Kyiv',
  US: 'America/New_York',
  UZ: 'Asia/Tashkent',
  VN: 'Asia/Ho_Chi_Minh',
  XK: 'Europe/Belgrade',
};

const MAIN_COUNTRY: Readonly<Record<string, CountryCode>> = {
  1: 'US',
  7: 'RU',
  39: 'IT',
  44: 'GB',
  47: 'NO',
  61: 'AU',
  212: 'MA',
  262: 'RE',
  358: 'FI',
  590: 'GP',
  599: 'CW',
};

export const mainCountryOf = (callingCode: string): string | undefined =>
  MAIN_COUNTRY[callingCode] ?? getCountries().find((country) => getCountryCallingCode(country) === callingCode);

export const isCountry = (code: string): code is CountryCode => isSupportedCountry(code);

type Region = Intl.Locale & { getTimeZones?(): readonly string[] };

const known = new Map<string, CountryFacts>();

export function countryFacts(country: CountryCode): CountryFacts {
  const facts = known.get(country) ?? collectFacts(country);
  known.set(country, facts);
  return facts;
}

function collectFacts(country: CountryCode): CountryFacts {
  const indonesia = country === 'ID';
  const zones = zonesOf(country);
  return {
    country,
    callingCode: getCountryCallingCode(country),
    timezone: zones[0] ?? 'UTC',
    locale: indonesia ? 'id' : 'en',
    currency: indonesia ? 'IDR' : 'USD',
    zones,
  };
}

function zonesOf(country: CountryCode): readonly string[] {
  const region: Region = new Intl.Locale('und', { region: country });
  const zones = region.getTimeZones?.() ?? [];
  const main = MAIN_ZONE[country] ?? zones[0];
  return main === undefined ? [] : [main, ...zones.filter((zone) => !isSameZone(zone, main))];
}

/** Whether this is a zone name. Intl also accepts bare offsets such as `+07:00`. */
export function isTimezone(name: string): boolean {
  try {
    return /^[A-Z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

const resolve = (zone: string): string => new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
const isSameZone = (a: string, b: string): boolean => a === b || resolve(a) === resolve(b);
