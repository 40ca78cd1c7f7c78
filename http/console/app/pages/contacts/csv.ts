/** What a column may be, as the gateway names it. */
export const FIELDS = ['phone', 'name', 'first_name', 'last_name', 'tags', 'group', 'var1', 'var2', 'var3', 'var4', 'var5'] as const;

export interface Header {
  readonly cells: readonly string[];
  /** Between cells. */
  readonly separator: string;
  /** Where the rows begin. */
  readonly end: number;
}

/** The first line of a CSV text, with its quotes taken off. */
export function headerOf(text: string): Header {
  let isQuoted = false;
  let end = 0;
  while (end < text.length && (isQuoted || text[end] !== '\n')) {
    if (text[end] === '"') isQuoted = !isQuoted;
    end += 1;
  }
  const line = text
    .slice(0, end)
    .replace(/^\uFEFF/, '')
    .replace(/\r$/, '');
  const separator = [';', '\t'].find((one) => line.split(one).length > line.split(',').length) ?? ',';
  return { cells: cellsOf(line, separator), separator, end };
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

/** What a column most likely is, from its name; '' leaves it out. */
export function guessOf(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
  if (/phone|mobile|number|whatsapp|^(wa|hp|telp?)$|nomor|telepon|handphone/.test(plain)) return 'phone';
  if (/first name|nama depan/.test(plain)) return 'first_name';
  if (/last name|surname|nama belakang/.test(plain)) return 'last_name';
  if (/name|nama|customer|pelanggan/.test(plain)) return 'name';
  if (/^(tag|label)s?$/.test(plain)) return 'tags';
  if (/group|grup/.test(plain)) return 'group';
  return FIELDS.find((field) => field === plain.replaceAll(' ', '')) ?? '';
}

/** The file with its columns under the names that were chosen; '' is a column that the gateway leaves out. */
export function mapped(text: string, { cells, separator, end }: Header, chosen: readonly string[]): string {
  const names = cells.map((_cell, nth) => chosen[nth] || `left_out_${nth + 1}`);
  return names.join(separator) + text.slice(end);
}
