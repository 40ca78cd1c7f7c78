import type { NumberRules } from '../../../domain/numbers/read-number.ts';
import type { ImportedContact, RowError } from './cells.ts';
import { MAX_COLUMNS, namePeople } from './columns.ts';
import { DELIMITERS, type Head, headOf, type Told } from './head.ts';
import { type ImportDeps, withNumbers } from './import-step.ts';
import { readThrough } from './intake.ts';
import { nextRows, type Place, type RowSource } from './next-rows.ts';
import { type FileForm, MAX_ROW_BYTES, type ReadRows, tableOf } from './read-rows.ts';
import type { ImportReader } from './reader.ts';

/**
 * Previews an import before anything is stored: columns with samples, the first contacts, and the
 * faults in the first part of the file. That part is read in the child process for imports. In all
 * later parts, rows are only counted.
 */

export interface Preview {
  readonly columns: readonly PreviewedColumn[];
  readonly rows: number;
  readonly first: readonly ImportedContact[];
  readonly problems: readonly RowError[];
}

type Text = Readonly<Record<'en' | 'id', string>>;

export interface PreviewedColumn {
  readonly header: string;
  readonly samples: readonly string[];
  readonly as: string | null;
  readonly why: Text;
}

const MAX_SAMPLES = 3;
const LONGEST_SAMPLE = 100;
const FIRST = 5;
const MAX_PROBLEMS = 100;
const MAX_PARTS = 16;
const KEPT_BYTES = 4 * 1024 * 1024;
const SAMPLED_BYTES = 16_384;

export interface PreviewRules {
  readonly tenantId: string;
  readonly callingCode: string;
  /** Called only after the file has been read, because a form may send these fields after the file. */
  optIn(): boolean;
  bare(): NumberRules['bare'];
}

/** Previews a file, even if no column identifies people. */
export async function previewOf(
  deps: Pick<ImportDeps, 'readPeople' | 'reader'>,
  source: AsyncIterable<Uint8Array>,
  told: Told,
  rules: PreviewRules,
): Promise<Preview> {
  const { tenantId, callingCode } = rules;
  const counter = new RowCounter();
  const kept: Uint8Array[] = [];
  let bytes = 0;
  const { first, encoding } = await readThrough(source, (piece) => {
    counter.add(piece);
    if (bytes < KEPT_BYTES) kept.push(piece);
    bytes += piece.length;
  });
  const head = headOf(first, told);
  const { delimiter, columns, phones, offset, line } = head;
  const form = { kind: 'csv', encoding, delimiter, columns, phones } as const;
  const above = new RowCounter();
  above.add(first.subarray(0, offset));
  const shared = { rows: counter.rows - above.rows, columns: columnsIn(head, first, encoding, told) };
  if (!namePeople(columns)) return { ...shared, first: [], problems: [NO_PHONE_COLUMN] };
  const start = Buffer.concat(kept);
  const read = await firstRows(deps.reader, tenantId, {
    ...{ bytes: start.length, form, optIn: rules.optIn(), isCut: start.length < bytes, place: { offset, line } },
    read: async (from, length) => start.subarray(from, from + length),
  });
  const bare = rules.bare();
  const numbered = await withNumbers(deps, { tenant_id: tenantId, file: { callingCode, ...(bare && { bareNumbers: bare }) } }, read);
  const faults = [...numbered.faults, ...read.errors].toSorted((one, other) => one.row - other.row);
  return { ...shared, first: numbered.contacts.slice(0, FIRST), problems: faults.slice(0, MAX_PROBLEMS) };
}

async function firstRows(
  reader: Pick<ImportReader, 'rows'>,
  tenantId: string,
  { place, ...source }: RowSource & { readonly place: Place },
): Promise<ReadRows> {
  const parts: ReadRows[] = [];
  let { offset, line } = place;
  const found = (): number => parts.reduce((sum, { contacts }) => sum + contacts.length, 0);
  const isThere = (): boolean => offset < source.bytes && (!source.isCut || source.bytes - offset >= MAX_ROW_BYTES);
  while (isThere() && parts.length < MAX_PARTS && found() < FIRST) {
    const read = await nextRows(reader, tenantId, source, { offset, line });
    parts.push(read);
    offset += read.consumed;
    line = read.line;
  }
  return {
    contacts: parts.flatMap(({ contacts }) => contacts),
    errors: parts.flatMap(({ errors }) => errors),
    persons: parts.flatMap(({ persons }) => persons),
    invalid: parts.reduce((sum, { invalid }) => sum + invalid, 0),
    consumed: offset - place.offset,
    line,
  };
}

function columnsIn(
  { headers, columns, delimiter, offset, byContents }: Head,
  first: Uint8Array,
  encoding: FileForm['encoding'],
  told: Told,
) {
  const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(first.subarray(offset, offset + SAMPLED_BYTES));
  const records = tableOf(text, delimiter).map(({ record }) => record);
  const chosen = told.mapping?.() ?? new Map();
  return headers.slice(0, MAX_COLUMNS).flatMap((header, nth): readonly PreviewedColumn[] => {
    const as = columns[nth] ?? null;
    if (as === 'line' || header === '') return [];
    const samples = new Set(records.map((record) => (record[nth] ?? '').trim().slice(0, LONGEST_SAMPLE)).filter((cell) => cell !== ''));
    return [
      {
        header,
        samples: [...samples].slice(0, MAX_SAMPLES),
        as,
        why: byContents.includes(nth) && !chosen.has(header) ? BY_CONTENTS : whyOf(as, chosen.has(header)),
      },
    ];
  });
}

function whyOf(as: string | null, isChosen: boolean): Text {
  if (isChosen) return as === null ? LEFT_OUT : CHOSEN;
  if (as === null) return UNKNOWN;
  return as.startsWith('attr.') ? ATTRIBUTE : NAMED;
}

const BY_CONTENTS = {
  en: 'recognized by the contents, not by the header',
  id: 'dikenali dari isinya, bukan dari judul kolom',
};
const CHOSEN = { en: 'you chose this field', id: 'Anda memilih kolom ini' };
const LEFT_OUT = { en: 'you skipped this column', id: 'Anda melewatkan kolom ini' };
const NAMED = { en: 'the header was recognized', id: 'judulnya dikenal' };
const ATTRIBUTE = { en: 'the header matches an attribute', id: 'judulnya sama dengan nama atribut' };
const UNKNOWN = {
  en: 'not a known field, or another column already fills it',
  id: 'bukan kolom yang dikenal, atau kolom lain sudah mengisinya',
};
const NO_PHONE_COLUMN = {
  row: 1,
  field: 'phone',
  error: {
    en: 'no phone number column was recognized; choose one',
    id: 'kolom nomor telepon tidak dikenali; pilih kolomnya',
  },
  code: 'no_phone_column',
};

/** Counts lines with more than separators and spaces, but not lines within a quoted cell. */
class RowCounter {
  #rows = 0;
  #state: 'cell' | 'plain' | 'quoted' | 'closing' = 'cell';
  #isFilled = false;
  #within = 0;
  #isLineFilled = false;

  get rows(): number {
    const [whole, isMore] = this.#state === 'quoted' ? [this.#within, this.#isLineFilled] : [0, this.#isFilled];
    return this.#rows + whole + (isMore ? 1 : 0);
  }

  add(piece: Uint8Array): void {
    for (const byte of piece) {
      if (this.#state === 'closing') this.#close(byte);
      else if (this.#state === 'quoted') this.#quoted(byte);
      else this.#plain(byte);
    }
  }

  #close(byte: number): void {
    if (byte === QUOTE) {
      this.#state = 'quoted';
      return;
    }
    const isClosed = SEPARATORS.has(byte) || byte === LF || byte === CR;
    if (!isClosed) this.#rows += this.#within;
    this.#state = 'plain';
    this.#plain(byte);
  }

  #quoted(byte: number): void {
    if (byte === QUOTE) this.#state = 'closing';
    else if (byte === LF || byte === CR) {
      if (this.#isLineFilled) this.#within += 1;
      this.#isLineFilled = false;
    } else if (!BLANK.has(byte)) {
      this.#isFilled = true;
      this.#isLineFilled = true;
    }
  }

  #plain(byte: number): void {
    if (byte === QUOTE && this.#state === 'cell') {
      this.#state = 'quoted';
      this.#within = 0;
      this.#isLineFilled = this.#isFilled;
      return;
    }
    this.#state = SEPARATORS.has(byte) || byte === LF || byte === CR ? 'cell' : 'plain';
    if (byte === LF || byte === CR) {
      if (this.#isFilled) this.#rows += 1;
      this.#isFilled = false;
    } else if (!BLANK.has(byte)) this.#isFilled = true;
  }
}

const codesOf = (signs: string): ReadonlySet<number> => new Set([...signs].map((sign) => sign.charCodeAt(0)));
const [QUOTE, LF, CR] = [0x22, 0x0a, 0x0d];
const BLANK = codesOf(' \t,;|\r\n');
const SEPARATORS = codesOf(DELIMITERS.join(''));
