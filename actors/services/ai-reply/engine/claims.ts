/**
 * Extracts the facts that a text states, normalized so that two texts can be compared: `15000` for
 * a number, `idr 15000`, `% 10` or `free` for an amount, `23/11` or `besok` for a date, 0 (Sunday)
 * to 6 for a weekday, `jalan braga` for a street, and digits in international form for a phone.
 * Links include mail addresses and account names (`@shop`, `toko_sari`).
 */

import { normalized, type SafeText } from '../../../../runtime/safe-text.ts';
import { spelledNumbers } from './spelled-numbers.ts';

export interface Claims {
  readonly links: ReadonlySet<string>;
  readonly phones: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
  readonly amounts: ReadonlySet<string>;
  readonly dates: ReadonlySet<string>;
  readonly weekdays: ReadonlySet<string>;
  readonly streets: ReadonlySet<string>;
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;

/** Removes invisible characters, except line breaks and tabs. */
export const plainText = (text: SafeText): string =>
  normalized(text, 'NFKC').replace(INVISIBLE, (character) => (character === '\n' || character === '\t' ? character : ''));

/** Matches links. Repetitions are limited, because otherwise a long word would take quadratic time. */
const LINK =
  /\b[a-z][a-z\d+.-]{0,30}:\/\/[^\s"'<>]+|\b(?:mailto|tel|sms|geo|javascript|data):[^\s"'<>]+|[^\s"'<>()[\],;:]{1,64}@[^\s"'<>()[\],;:]+|@[\p{L}\d][\p{L}\d._]{2,}|(?<![\p{L}\d])[\p{L}\d]+(?:_[\p{L}\d]+)+|(?:[\p{L}\d](?:[\p{L}\d-]{0,61}[\p{L}\d])?\.){1,10}\p{L}{2,}(?::\d+)?(?:\/[^\s"'<>]*)?/giu;
const ADDRESS_OF_NUMBERS = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:\/[^\s"'<>]*)?(?![\d.])/g;

const MONTHS = [
  'jan januari january',
  'feb februari february',
  'mar maret march',
  'apr april',
  'mei may',
  'jun juni june',
  'jul juli july',
  'agu agt agustus aug august',
  'sep sept september',
  'okt oktober oct october',
  'nov november',
  'des desember dec december',
];
const MONTH_OF = new Map(MONTHS.flatMap((names, at) => names.split(' ').map((name) => [name, at + 1] as const)));
const MONTH_NAMES = [...MONTH_OF.keys()].toSorted((a, b) => b.length - a.length).join('|');

const DAYS = [
  'ahad hari_minggu sunday sundays',
  'senin monday mondays',
  'selasa tuesday tuesdays',
  'rabu wednesday wednesdays',
  'kamis thursday thursdays',
  'jumat jumaat friday fridays',
  'sabtu saturday saturdays',
];
const DAY_OF = new Map(DAYS.flatMap((names, at) => names.split(' ').map((name) => [name, at] as const)));
const DAY_NAMES = [...DAY_OF.keys()].join('|');
const TO = /^\s*(?:-|–|—|s\.?\/?d\.?|sampai(?: dengan)?|hingga|to|until|till|through|thru)\s*$/i;

export const isOfCalendar = (word: string): boolean => DAY_OF.has(word) || MONTH_OF.has(word) || word === 'minggu';
export const isOfStreets = (word: string): boolean => word in STREETS || Object.values(STREETS).includes(word);

/** An answer that mentions a relative day makes a promise, so a document must contain the same day. */
const RELATIVE_DAYS = new Map(
  [
    'hari ini|today|malam ini|tonight|sore ini|siang ini|pagi ini',
    'besok|esok|tomorrow',
    'lusa|day after tomorrow',
    'minggu depan|pekan depan|next week',
    'bulan depan|next month',
    'minggu ini|pekan ini|this week',
    'bulan ini|this month',
  ].flatMap((phrases) => phrases.split('|').map((phrase) => [phrase, phrases.slice(0, phrases.indexOf('|'))] as const)),
);
const RELATIVE = new RegExp(
  `(?<!\\p{L})(?:${[...RELATIVE_DAYS.keys()]
    .toSorted((a, b) => b.length - a.length)
    .map((phrase) => phrase.replaceAll(' ', '\\s+'))
    .join('|')})(?!\\p{L})`,
  'giu',
);
const HALF = /(?<!\p{L})(?:separuh|separo|setengah|half)(?!\p{L})/giu;

const CURRENCIES: Readonly<Record<string, string>> = {
  rp: 'idr',
  idr: 'idr',
  rupiah: 'idr',
  $: 'usd',
  usd: 'usd',
  us$: 'usd',
  dollar: 'usd',
  dollars: 'usd',
  dolar: 'usd',
  '€': 'eur',
  eur: 'eur',
  euro: 'eur',
  euros: 'eur',
  sgd: 'sgd',
  s$: 'sgd',
  myr: 'myr',
  rm: 'myr',
  '£': 'gbp',
  gbp: 'gbp',
  '¥': 'jpy',
  jpy: 'jpy',
  yen: 'jpy',
};
const BEFORE = /(rp|idr|us\$|usd|s\$|sgd|rm|myr|eur|gbp|jpy|[$€£¥])\.?\s*$/i;
const BEHIND = /^\s*(?:,-)?\s*(%|persen|percent|per cent|rp|idr|rupiah|usd|dollars?|dolar|sgd|myr|euros?|eur|gbp|jpy|yen)(?![\p{L}\d])/iu;
const TIMES: Readonly<Record<string, number>> = {
  rb: 1e3,
  ribu: 1e3,
  k: 1e3,
  thousand: 1e3,
  jt: 1e6,
  juta: 1e6,
  mio: 1e6,
  million: 1e6,
  miliar: 1e9,
  milyar: 1e9,
  billion: 1e9,
};
const MULTIPLIED = /^\s*(rb|ribu|k|thousand|jt|juta|mio|million|miliar|milyar|billion)(?![\p{L}\d])/iu;
const NUMBER = /\d+(?:[.,:]\d+)*/g;
const FREE =
  /(?<!\p{L})(?:gratis|free|cuma-cuma|complimentary|costs? nothing|for nothing|no charge|on the house|without charge|tanpa biaya|tanpa bayar|tidak (?:di)?bayar|(?:nggak|gak|ga) bayar)(?!\p{L})/giu;
const FREE_OF = /-free\b|\bfree (?:of|from)\b|\bfeel free\b/gi;
const STREET = /(?<!\p{L})(jl|jln|jalan|gg|gang|komplek|kompleks|ruko|perumahan)\b\.?\s+([\p{L}\d]+)/giu;
const ENGLISH_STREET = /(?<![\p{L}\d])([\p{L}\d]{1,60})\s+(street|st|road|rd|avenue|ave|lane|boulevard|blvd)(?!\p{L})/giu;
const STREETS: Readonly<Record<string, string>> = {
  jl: 'jalan',
  jln: 'jalan',
  gg: 'gang',
  kompleks: 'komplek',
  st: 'street',
  rd: 'road',
  ave: 'avenue',
  blvd: 'boulevard',
};
const PHONE_DIGITS = 8;
const PHONE = /\+?\(?\d(?:[ ().-]{0,2}\d){7,}/g;
const GROUPED = /^\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,2})?$/;
const DIALLED = /^[+(0]|\d{7}/;
const NUMERIC_DATE = /\b(?:(\d{4})-(\d{1,2})-(\d{1,2})|(\d{1,2})[/-](\d{1,2})[/-](\d{2,4}))\b/g;

export function claimsOf(text: SafeText): Claims {
  let rest = undisguised(plainText(text).replace(/\p{Nd}/gu, asciiDigit));
  const streets = new Set([
    ...[...rest.matchAll(STREET)].map(([, kind, name]) => streetOf(kind, name)),
    ...[...rest.matchAll(ENGLISH_STREET)].map(([, name, kind]) => streetOf(kind, name)),
  ]);
  const cut = (pattern: RegExp, use: (found: string) => boolean): void => {
    rest = rest.replace(pattern, (found: string) => (use(found) ? ' ' : found));
  };
  const links = new Set<string>();
  cut(ADDRESS_OF_NUMBERS, (found) => links.add(linkOf(found)) !== undefined);
  cut(LINK, (found) => links.add(linkOf(found)) !== undefined);
  const dates = datesOf(rest);
  rest = rest.replace(NUMERIC_DATE, (_, year, __, ___, ____, _____, otherYear) => ` ${year ?? otherYear} `);
  const phones = new Set<string>();
  cut(PHONE, (found) => isPhone(found) && phones.add(phoneOf(found)) !== undefined);
  const { numbers, amounts } = numbersOf(rest);
  return { links, phones, numbers, amounts, dates, weekdays: weekdaysOf(rest), streets };
}

const DOT_IN_BRACKETS = /\s{0,20}[[({<]\s{0,20}(?:\.|dot|titik)\s*[\])}>]\s*(?=\p{L}{2})/giu;
const DOT_OF_ANOTHER_SCRIPT = /\s{0,20}[。․‧∙·]\s*(?=\p{L}{2})/gu;
const DOT_APART =
  /(?<=[\p{L}\d])\s+(?:dot|titik|point|\.)\s+(?=(?:com|net|org|id|co|me|io|info|biz|shop|store|online|site|xyz|example|link|ly|app|my|sg|top|club|tk|web|page)(?!\p{L}))/giu;
const LETTERS_APART = /(?<![\p{L}\d])(?:[\p{L}\d.:/]\s{1,20}){3,80}\p{L}(?![\p{L}\d])/gu;

const undisguised = (text: string): string =>
  text
    .replace(LETTERS_APART, (found) => (/\p{L}\s+\p{L}/u.test(found) ? found.replace(/\s+/g, '') : found))
    .replace(DOT_IN_BRACKETS, '.')
    .replace(DOT_OF_ANOTHER_SCRIPT, '.')
    .replace(DOT_APART, '.');

/** Digits of a script are encoded in blocks of ten that start at zero. */
function asciiDigit(digit: string): string {
  let zero = digit.codePointAt(0) ?? 0;
  const value = zero;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && value - zero < 9) zero -= 1;
  return String(value - zero);
}

const streetOf = (kind = '', name = ''): string => `${STREETS[kind.toLowerCase()] ?? kind.toLowerCase()} ${name.toLowerCase()}`;

const linkOf = (found: string): string =>
  found
    .toLowerCase()
    .replace(/^[a-z][a-z\d+.-]*:\/\//, '')
    .replace(/^www\./, '')
    .replace(/[.,;:!?)\]}'"’”/]+$/u, '');

const HOURS = /^\d{1,2}\.\d{2} ?- ?\d{1,2}\.\d{2}$/;

function isPhone(found: string): boolean {
  const digits = found.replace(/\D/g, '');
  return digits.length >= PHONE_DIGITS && DIALLED.test(found) && !GROUPED.test(found) && !HOURS.test(found);
}

/** A leading zero is replaced by Indonesia's calling code. */
const phoneOf = (found: string): string => found.replace(/\D/g, '').replace(/^0/, '62');

function datesOf(text: string): Set<string> {
  const dates = new Set<string>();
  const add = (day: string | undefined, month: number | undefined): void => {
    if (day !== undefined && month !== undefined) dates.add(`${Number(day)}/${month}`);
  };
  for (const [, , isoMonth, isoDay, day, month] of text.matchAll(NUMERIC_DATE)) add(day ?? isoDay, Number(month ?? isoMonth));
  const dayFirst = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?\\s+(?:of\\s+)?(${MONTH_NAMES})\\b`, 'gi');
  for (const [, day, name = ''] of text.matchAll(dayFirst)) add(day, MONTH_OF.get(name.toLowerCase()));
  const monthFirst = new RegExp(`\\b(${MONTH_NAMES})\\s+(\\d{1,2})(?:st|nd|rd|th)?\\b(?!\\d)`, 'gi');
  for (const [, name = '', day] of text.matchAll(monthFirst)) add(day, MONTH_OF.get(name.toLowerCase()));
  for (const [phrase] of text.matchAll(RELATIVE)) dates.add(RELATIVE_DAYS.get(phrase.toLowerCase().replace(/\s+/g, ' ')) ?? phrase);
  return dates;
}

const BESIDE_A_DAY =
  /(?=minggu)(?<=(?:senin|selasa|rabu|kamis|jum['’]?at|jumaat|sabtu)\s*(?:,\s*(?:dan|and|serta)?|dan|and|serta|atau|or|&|\+|\/)\s*)minggu\b(?!\s+(?:depan|ini|lalu))/gi;
const EVERY_DAY = /(?<!\p{L})(?:(?:se)?tiap\s+hari|every\s*day|daily)(?!\p{L})/iu;

function weekdaysOf(text: string): Set<string> {
  // `minggu` means "week" or "Sunday". Next to another day, or in a clear context, it is Sunday.
  const plain = text
    .replace(/\bhari minggu\b/gi, 'hari_minggu')
    .replace(BESIDE_A_DAY, 'hari_minggu')
    .replace(/(?=minggu)(?<=(?:-|–|—|s\/d|sampai|hingga)\s*)minggu\b/gi, 'hari_minggu')
    .replace(/\bminggu(?=\s*(?:-|–|—|s\/d|sampai|hingga)\s*\p{L})/giu, 'hari_minggu')
    .replace(/\bminggu(?=\s+(?:tutup|libur|buka))/gi, 'hari_minggu')
    .replace(/\bjum'at\b|\bjum’at\b/gi, 'jumat');
  const found = [...plain.matchAll(new RegExp(`(?<!\\p{L})(${DAY_NAMES})(?!\\p{L})`, 'giu'))];
  const days = new Set<string>(EVERY_DAY.test(plain) ? [...DAYS.keys()].map(String) : []);
  for (const [nth, match] of found.entries()) {
    const day = DAY_OF.get(match[0].toLowerCase()) ?? 0;
    days.add(String(day));
    const next = found[nth + 1];
    if (!next || !TO.test(plain.slice(match.index + match[0].length, next.index))) continue;
    const last = DAY_OF.get(next[0].toLowerCase()) ?? 0;
    for (let at = day; at !== last; at = (at + 1) % DAYS.length) days.add(String(at));
  }
  return days;
}

function numbersOf(text: string): { readonly numbers: Set<string>; readonly amounts: Set<string> } {
  const numbers = new Set<string>();
  const amounts = new Set<string>();
  for (const { 0: found, index } of text.matchAll(NUMBER)) {
    const behind = text.slice(index + found.length, index + found.length + 20);
    const multiplied = MULTIPLIED.exec(behind);
    const value = amountOf(found) * (TIMES[multiplied?.[1]?.toLowerCase() ?? ''] ?? 1);
    note(String(Number(value.toPrecision(12))), text.slice(Math.max(0, index - 6), index), behind.slice(multiplied?.[0].length ?? 0));
  }
  for (const { value, index, end } of spelledNumbers(text))
    note(String(value), text.slice(Math.max(0, index - 6), index), text.slice(end, end + 20));
  for (const _ of text.matchAll(HALF)) numbers.add('0.5');
  for (const _ of text.replace(FREE_OF, ' ').matchAll(FREE)) amounts.add('free');
  return { numbers, amounts };

  function note(value: string, before: string, behind: string): void {
    const sign = BEFORE.exec(before)?.[1] ?? BEHIND.exec(behind)?.[1];
    if (sign === undefined) numbers.add(value);
    else amounts.add(`${CURRENCIES[sign.toLowerCase()] ?? '%'} ${value}`);
  }
}

/** `15.000` is 15000 and `1,5` is 1.5. The times `09.00` and `9:00` are 9, and `9.30` is 9.3. */
function amountOf(found: string): number {
  const parts = found.split(/[.,:]/);
  const last = parts.at(-1) ?? '';
  if (parts.length === 1) return Number(found);
  const isGrouped = !found.includes(':') && parts.slice(1).every((part) => part.length === 3);
  if (isGrouped) return Number(parts.join(''));
  return Number(`${parts.slice(0, -1).join('')}.${last}`);
}
