import { wideCharset } from './charsets.ts';

/**
 * Converts address cards (vCard 2.1, 3.0 and 4.0) to rows of a table. The names of properties
 * become its columns. Pictures and other unused properties are skipped line by line; only their
 * names are kept.
 */

const MOST_NUMBERS = 20;
const LONGEST_VALUE = 4_000;

interface Property {
  readonly name: string;
  readonly parameters: string;
  readonly value: string;
}

interface Card {
  readonly line: number;
  readonly properties: readonly Property[];
}

interface CardTable {
  readonly rows: readonly (readonly string[])[];
  readonly others: readonly string[];
}

export function cardTable(bytes: Uint8Array): CardTable {
  const { cards, skipped } = cardsIn(latin1Of(bytes));
  const rows = cards.map(({ line, properties }) => ({ line, cells: cellsOf(properties) }));
  const columns = COLUMNS.filter((column) => column === 'FN' || column === 'TEL' || rows.some(({ cells }) => cells.has(column)));
  return {
    rows: [['0', ...columns], ...rows.map(({ line, cells }) => [String(line), ...columns.map((column) => cells.get(column) ?? '')])],
    others: [...skipped],
  };
}

const COLUMNS = ['FN', 'TEL', 'Country', 'Categories', 'EMAIL', 'ORG', 'TITLE', 'NOTE', 'BDAY', 'URL'] as const;
const NAMES = ['FN', 'N', 'NICKNAME', 'X-WA-BIZ-NAME', 'ORG'] as const;
const WANTED: ReadonlySet<string> = new Set([...COLUMNS, ...NAMES, 'ADR', 'CATEGORIES']);
const ABOUT_THE_CARD: ReadonlySet<string> = new Set([
  '',
  'VERSION',
  'PRODID',
  'REV',
  'UID',
  'KIND',
  'SOURCE',
  'CLIENTPIDMAP',
  'X-ABUID',
  'X-ABLABEL',
]);
const MOST_SKIPPED = 100;

/** Files are read as latin1, because each property may have another charset. UTF-16 is converted first. */
function latin1Of(bytes: Uint8Array): string {
  const wide = wideCharset(bytes);
  return Buffer.from(wide ? Buffer.from(new TextDecoder(wide).decode(bytes)) : bytes).toString('latin1');
}

/** Decodes a text. If its charset is unknown, tries UTF-8, then Windows-1252. */
function decoded(latin1: string, charset: string | undefined): string {
  const bytes = Buffer.from(latin1, 'latin1');
  for (const label of [charset, 'utf-8'])
    try {
      if (label !== undefined) return new TextDecoder(label, { fatal: true }).decode(bytes);
    } catch {}
  return new TextDecoder('windows-1252').decode(bytes);
}

interface OpenProperty {
  text: string;
  /** Whether the last line ended with `=`, which continues it in quoted-printable text (2.1). */
  isBroken: boolean;
  readonly isPrintable: boolean;
}

/** A card may contain another one (AGENT). A card without an END line ends at the end of the file. */
function cardsIn(text: string): { readonly cards: readonly Card[]; readonly skipped: ReadonlySet<string> } {
  const cards: Card[] = [];
  const skipped = new Set<string>();
  const within: { readonly line: number; readonly properties: Property[] }[] = [];
  let open: OpenProperty | null = null;
  let line = 0;
  for (const [written] of text.matchAll(/[^\r\n]*(?:\r\n|\n|\r|$)/g)) {
    line += 1;
    const bare = written.replace(/[\r\n]+$/, '');
    if (open && (open.isBroken || /^[ \t]/.test(bare))) {
      append(open, bare);
      continue;
    }
    const property: Property | null = open && propertyOf(open.text);
    if (property) within.at(-1)?.properties.push(property);
    open = null;
    if (/^BEGIN:VCARD\s*$/i.test(bare)) {
      const card = { line, properties: [] };
      within.push(card);
      cards.push(card);
    } else if (/^END:VCARD\s*$/i.test(bare)) within.pop();
    else if (within.length > 0) open = begun(bare, skipped);
  }
  return { cards, skipped };
}

function begun(bare: string, skipped: Set<string>): OpenProperty {
  const name = nameOf(bare);
  const isWanted = WANTED.has(name);
  if (!isWanted && !ABOUT_THE_CARD.has(name) && skipped.size < MOST_SKIPPED) skipped.add(name);
  const isPrintable = /^[^:]*QUOTED-PRINTABLE/i.test(bare);
  return { text: isWanted ? bare : '', isPrintable, isBroken: isPrintable && bare.endsWith('=') };
}

/** A continuation line starts with a space (3.0, 4.0) or follows a final `=` (2.1). */
function append(open: OpenProperty, bare: string): void {
  const { text, isBroken } = open;
  open.isBroken = open.isPrintable && bare.endsWith('=');
  if (text === '' || text.length >= LONGEST_VALUE) return;
  open.text = isBroken ? text.slice(0, -1) + bare.trimStart() : text + bare.slice(1);
}

const nameOf = (line: string): string => (/^(?:[\w-]+\.)?([\w-]+)(?=[;:])/.exec(line)?.[1] ?? '').toUpperCase();

function propertyOf(line: string): Property | null {
  const [, parameters = '', written] = /^[^:;"]*((?:;(?:[^:"]|"[^"]*")*)?):(.*)$/s.exec(line) ?? [];
  if (written === undefined) return null;
  const value = /QUOTED-PRINTABLE/i.test(parameters) ? unquoted(written) : written;
  return { name: nameOf(line), parameters, value: decoded(value, /;CHARSET="?([\w-]+)/i.exec(parameters)?.[1]) };
}

const unquoted = (value: string): string => value.replace(/=([0-9A-F]{2})/gi, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

const plain = (value: string): string =>
  value
    .replace(/\\n/gi, ' ')
    .replace(/\\([,;:\\])/g, '$1')
    .trim();

function cellsOf(properties: readonly Property[]): ReadonlyMap<string, string> {
  const all = (name: string): readonly Property[] => properties.filter((one) => one.name === name);
  const first = (name: string): string => plain(all(name)[0]?.value ?? '');
  const numbers = all('TEL')
    .filter(({ parameters }) => !/\b(?:fax|pager)\b/i.test(parameters) || /\b(?:cell|voice)\b/i.test(parameters))
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .slice(0, MOST_NUMBERS)
    .map(numberOf);
  const country = all('ADR').flatMap(({ value }) => plain(value.split(/(?<!\\);/)[6] ?? '') || [])[0];
  const cells = new Map<string, string>([
    ['FN', NAMES.map((name) => nameIn(name, all(name)[0]?.value ?? '')).find((name) => name !== '') ?? ''],
    ['TEL', numbers.join(' ::: ')],
    ['Country', country ?? ''],
    ['Categories', categoriesIn(all('CATEGORIES').map(({ value }) => plain(value)))],
    ...(['EMAIL', 'ORG', 'TITLE', 'NOTE', 'BDAY', 'URL'] as const).map((name) => [name, first(name)] as const),
  ]);
  return new Map([...cells].filter(([, text]) => text !== ''));
}

const categoriesIn = (lists: readonly string[]): string =>
  lists
    .flatMap((list) => list.split(','))
    .filter((name) => !/^(?:myContacts|starred)$/.test(name.trim()))
    .join(',');

/** Prefers the `waid` parameter, which holds the number that WhatsApp uses. */
const numberOf = ({ parameters, value }: Property): string => {
  const waid = /;waid=(\d{5,15})/i.exec(parameters)?.[1];
  return waid === undefined ? plain(value) : `+${waid}`;
};

function rankOf({ parameters }: Property): number {
  const kind = /;waid=/i.test(parameters) ? 0 : /cell|mobile|iphone/i.test(parameters) ? 1 : 2;
  return kind - (/\bpref\b/i.test(parameters) ? 0.5 : 0);
}

function nameIn(property: (typeof NAMES)[number], value: string): string {
  if (property === 'N') return inOrder(value);
  return property === 'ORG' ? plain(value.replace(/(?<!\\);/g, ' ')) : plain(value);
}

function inOrder(value: string): string {
  const [family = '', given = '', more = ''] = value.split(/(?<!\\);/).map(plain);
  return [given, more, family].filter((part) => part !== '').join(' ');
}
