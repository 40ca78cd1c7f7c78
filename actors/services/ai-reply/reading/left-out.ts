import { isOneOf, isRecord } from '../../../../runtime/shapes.ts';

type Words = Readonly<Record<'en' | 'id', string>>;

/**
 * Records which parts of a document were not read, because its readers do not see them or see them
 * struck out. A document's `warnings` show these parts, so that its owner knows why answers do not
 * use them.
 */

export interface LeftOut {
  readonly kind: LeftOutKind;
  /** Names of sheets or numbers of pages; at most MAX_NAMES. */
  readonly names: readonly string[];
  readonly count: number;
}

const MAX_NAMES = 20;
const MAX_NAME = 100;
const MAX_KINDS = 20;

const LEFT_OUT = {
  hiddenSheets: { en: 'hidden sheets were left out', id: 'sheet tersembunyi tidak dibaca' },
  hiddenRows: { en: 'hidden rows were left out', id: 'baris tersembunyi tidak dibaca' },
  hiddenColumns: { en: 'hidden columns were left out', id: 'kolom tersembunyi tidak dibaca' },
  charts: { en: 'charts were left out', id: 'grafik tidak dibaca' },
  struck: { en: 'struck-out text was left out', id: 'teks yang dicoret tidak dibaca' },
  hiddenText: { en: 'hidden text was left out', id: 'teks tersembunyi tidak dibaca' },
  comments: { en: 'comments were left out', id: 'komentar tidak dibaca' },
  emptyPages: { en: 'pages without text were left out', id: 'halaman tanpa teks tidak dibaca' },
} as const satisfies Record<string, Words>;

export type LeftOutKind = keyof typeof LEFT_OUT;
const KINDS: readonly string[] = Object.keys(LEFT_OUT);

export class LeftOuts {
  readonly #found = new Map<LeftOutKind, { names: string[]; count: number }>();

  add(kind: LeftOutKind, name: string | null = null): void {
    const found = this.#found.get(kind) ?? { names: [], count: 0 };
    found.count += 1;
    if (name !== null && found.names.length < MAX_NAMES) found.names.push(name.slice(0, MAX_NAME));
    this.#found.set(kind, found);
  }

  get list(): readonly LeftOut[] {
    return [...this.#found].map(([kind, { names, count }]) => ({ kind, names, count }));
  }
}

export function leftOutIn(value: unknown): readonly LeftOut[] | null {
  if (!Array.isArray(value) || value.length > MAX_KINDS) return null;
  const list = value.flatMap((one) => oneIn(one) ?? []);
  return list.length === value.length ? list : null;
}

function oneIn(value: unknown): LeftOut | null {
  if (!isRecord(value)) return null;
  const { kind, names, count } = value;
  if (!isKind(kind) || !Array.isArray(names) || names.length > MAX_NAMES || !Number.isSafeInteger(count)) return null;
  const texts = names.filter((name) => typeof name === 'string' && name.length <= MAX_NAME);
  return texts.length === names.length ? { kind, names: texts, count: Number(count) } : null;
}

const isKind = (value: unknown): value is LeftOutKind => isOneOf(KINDS, value);

export function warningOf({ kind, names, count }: LeftOut): Words {
  const { en, id } = LEFT_OUT[kind];
  const more = count - names.length;
  if (names.length === 0) return { en: `${en} (${count})`, id: `${id} (${count})` };
  const list = names.join(', ');
  return more > 0
    ? { en: `${en}: ${list} and ${more} more`, id: `${id}: ${list} dan ${more} lainnya` }
    : { en: `${en}: ${list}`, id: `${id}: ${list}` };
}
