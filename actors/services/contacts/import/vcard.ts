/**
 * Converts address cards (vCard 2.1, 3.0 and 4.0) to rows of a table, with property names as
 * columns. Pictures and other properties are skipped line by line and not kept.
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

/** The first cell of a row is the line on which its card begins. */
export function cardRows(bytes: Uint8Array): readonly (readonly string[])[] {
  const cards = cardsIn(textOf(bytes));
  const rows = cards.map(({ line, properties }) => ({ line, cells: cellsOf(properties) }));
  const columns = COLUMNS.filter((column) => column === 'FN' || column === 'TEL' || rows.some(({ cells }) => cells.has(column)));
  return [['0', ...columns], ...rows.map(({ line, cells }) => [String(line), ...columns.map((column) => cells.get(column) ?? '')])];
}

const COLUMNS = ['FN', 'TEL', 'Country', 'Categories', 'EMAIL', 'ORG', 'TITLE', 'NOTE', 'BDAY', 'URL'] as const;
const WANTED: ReadonlySet<string> = new Set([...COLUMNS, 'N', 'ADR', 'CATEGORIES']);

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

interface OpenProperty {
  /** '' for a property that is skipped. */
  text: string;
  readonly isPrintable: boolean;
}

function cardsIn(text: string): readonly Card[] {
  const cards: Card[] = [];
  let card: { readonly line: number; readonly properties: Property[] } | null = null;
  let open: OpenProperty | null = null;
  let line = 0;
  for (const [written] of text.matchAll(/[^\r\n]*(?:\r\n|\n|\r|$)/g)) {
    line += 1;
    const bare = written.replace(/[\r\n]+$/, '');
    if (open && goesOn(open, bare)) {
      if (open.text.length < LONGEST_VALUE) open.text = continued(open, bare);
      continue;
    }
    const property: Property | null = open && propertyOf(open.text);
    if (property && card) card.properties.push(property);
    open = null;
    if (/^BEGIN:VCARD\s*$/i.test(bare)) {
      card = { line, properties: [] };
      cards.push(card);
    } else if (/^END:VCARD\s*$/i.test(bare)) card = null;
    else if (card) open = { text: WANTED.has(nameOf(bare)) ? bare : '', isPrintable: /QUOTED-PRINTABLE/i.test(bare) };
  }
  return cards;
}

const goesOn = ({ text, isPrintable }: OpenProperty, bare: string): boolean => /^[ \t]/.test(bare) || (isPrintable && text.endsWith('='));

/** A continuation starts with a space (3.0, 4.0), or the line before ends with `=` (2.1). */
function continued({ text, isPrintable }: OpenProperty, bare: string): string {
  if (text === '') return '';
  return isPrintable && text.endsWith('=') ? text.slice(0, -1) + bare.trimStart() : text + bare.slice(1);
}

const nameOf = (line: string): string => (/^(?:[\w-]+\.)?([\w-]+)/.exec(line)?.[1] ?? '').toUpperCase();

function propertyOf(line: string): Property | null {
  const [, parameters = '', value] = /^[^:;"]*((?:;(?:[^:"]|"[^"]*")*)?):(.*)$/s.exec(line) ?? [];
  if (value === undefined) return null;
  const isPrintable = /QUOTED-PRINTABLE/i.test(parameters);
  return { name: nameOf(line), parameters, value: isPrintable ? printable(value) : value };
}

const printable = (value: string): string =>
  Buffer.from(
    value.replace(/=([0-9A-F]{2})/gi, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();

const plain = (value: string): string =>
  value
    .replace(/\\n/gi, ' ')
    .replace(/\\([,;:\\])/g, '$1')
    .trim();

function cellsOf(properties: readonly Property[]): ReadonlyMap<string, string> {
  const all = (name: string): readonly Property[] => properties.filter((one) => one.name === name);
  const first = (name: string): string => plain(all(name)[0]?.value ?? '');
  const numbers = all('TEL')
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .slice(0, MOST_NUMBERS)
    .map(numberOf);
  const country = all('ADR').flatMap(({ value }) => plain(value.split(/(?<!\\);/)[6] ?? '') || [])[0];
  const cells = new Map<string, string>([
    ['FN', first('FN') || inOrder(all('N')[0]?.value ?? '') || first('ORG').replaceAll(';', ' ').trim()],
    ['TEL', numbers.join(' ::: ')],
    ['Country', country ?? ''],
    [
      'Categories',
      all('CATEGORIES')
        .map(({ value }) => plain(value))
        .join(','),
    ],
    ...(['EMAIL', 'ORG', 'TITLE', 'NOTE', 'BDAY', 'URL'] as const).map((name) => [name, first(name)] as const),
  ]);
  return new Map([...cells].filter(([, text]) => text !== ''));
}

/** A `waid` parameter holds the number that WhatsApp itself knows. */
const numberOf = ({ parameters, value }: Property): string => {
  const waid = /;waid=(\d{5,15})/i.exec(parameters)?.[1];
  return waid === undefined ? plain(value) : `+${waid}`;
};

const rankOf = ({ parameters }: Property): number =>
  /;waid=/i.test(parameters) ? 0 : /cell|mobile|iphone/i.test(parameters) ? 1 : /fax|pager/i.test(parameters) ? 3 : 2;

function inOrder(value: string): string {
  const [family = '', given = '', more = ''] = value.split(/(?<!\\);/).map(plain);
  return [given, more, family].filter((part) => part !== '').join(' ');
}
