import { fieldNamed } from '../../../../../actors/services/contacts/import/headers.ts';

/** What a column may be, as the gateway names it. */
export const FIELDS = [
  'phone',
  'name',
  'first_name',
  'last_name',
  'tags',
  'group',
  'opt_in',
  'var1',
  'var2',
  'var3',
  'var4',
  'var5',
] as const;

/** In place of a field: the column is not imported. */
export const LEFT_OUT = 'left_out';

export interface Header {
  readonly cells: readonly string[];
  /** Between cells. */
  readonly separator: string;
  /** Where it stands in the text. */
  readonly start: number;
  readonly end: number;
}

/** The text of a file as spreadsheets write it: UTF-8, UTF-16 or Windows-1252, as the gateway tells them apart. Without a BOM. */
export function textOf(bytes: Uint8Array): string {
  const [one, two, three, four] = bytes;
  if ((one === 0xff && two === 0xfe) || (one !== 0 && two === 0 && three !== 0 && four === 0))
    return new TextDecoder('utf-16le').decode(bytes);
  if ((one === 0xfe && two === 0xff) || (one === 0 && two !== 0 && three === 0 && four !== 0))
    return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const SEPARATORS = [',', ';', '\t', '|'];

/** The first line of a CSV text, with its quotes taken off; before it, `sep=;` may name what is between cells. */
export function headerOf(text: string): Header {
  const told = /^(?:"?sep=(.)"?)(?:\r\n|\n|\r)/i.exec(text);
  const start = told?.[0].length ?? 0;
  let isQuoted = false;
  let end = start;
  while (end < text.length && (isQuoted || (text[end] !== '\n' && text[end] !== '\r'))) {
    if (text[end] === '"') isQuoted = !isQuoted;
    end += 1;
  }
  const line = text.slice(start, end);
  const separator = told?.[1] ?? likeliest(line);
  return { cells: cellsOf(line, separator), separator, start, end };
}

/** Which of them the line has most of, outside of quotes. */
function likeliest(line: string): string {
  const bare = line.replace(/"[^"]*"/g, '');
  const counts = SEPARATORS.map((one) => bare.split(one).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ',';
}

function cellsOf(line: string, separator: string): readonly string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (const char of line) {
    if (char === '"') isQuoted = !isQuoted;
    else if (char === separator && !isQuoted) {
      cells.push(cell.trim());
      cell = '';
    } else cell += char;
  }
  return [...cells, cell.trim()];
}

/** What a column most likely is, from its name; '': what the gateway takes its name for. */
export function guessOf(name: string): string {
  if (/^(attr|attribute|atribut)[.\s:_-]/i.test(name)) return '';
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
  const known = fieldNamed(name) ?? fieldNamed(plain);
  if (known) return known;
  if (/phone|mobile|number|whatsapp|^(wa|hp|telp?)$|nomor|telepon|handphone|ponsel|msisdn/.test(plain)) return 'phone';
  if (/first name|nama depan/.test(plain)) return 'first_name';
  if (/last name|surname|nama belakang/.test(plain)) return 'last_name';
  if (/name|nama|customer|pelanggan/.test(plain)) return 'name';
  if (/group|grup/.test(plain)) return 'group';
  return '';
}

/** The file with its columns under the names that were chosen; '' keeps the name that a column has, unless another one was chosen for that field. */
export function mapped(text: string, { cells, separator, start, end }: Header, chosen: readonly string[]): string {
  const names = cells.map((cell, nth) => {
    const field = chosen[nth] || fieldNamed(cell);
    const isLeftOut = field === LEFT_OUT || (!chosen[nth] && field !== undefined && chosen.includes(field));
    return isLeftOut ? `${LEFT_OUT}_${nth + 1}` : quoted(chosen[nth] || cell, separator);
  });
  return text.slice(0, start) + names.join(separator) + text.slice(end);
}

/** What stands in quotes says nothing about what is between cells. */
const quoted = (cell: string, separator: string): string =>
  /[\r\n]/.test(cell) || [...SEPARATORS, separator].some((one) => cell.includes(one)) ? `"${cell}"` : cell;
