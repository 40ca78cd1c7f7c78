import { isOneOf } from '../../../../runtime/shapes.ts';
import { folded } from '../../../../store/contacts/contacts.ts';
import type { ImportColumn as Column } from '../../../../store/jobs/jobs.ts';
import { ATTRIBUTE_KEY } from '../../../domain/text-tokens.ts';
import { NAMED_BY } from './cells.ts';
import { fieldNamed } from './headers.ts';

const ATTRIBUTE = /^(?:attr|attribute|atribut)[.\s:_-]+(.+)$/i;

/** Limits CPU time, because a header of 48 KB can have 49,000 columns, whose names took 30 ms to find. */
export const MAX_COLUMNS = 500;

export type Mapping = ReadonlyMap<string, Column>;

/** Fields that use several columns. Every other field uses only its first column. */
const SEVERAL: ReadonlySet<string> = new Set(['phone', 'country', 'name', 'first_name', 'last_name', 'opt_out', 'consent']);

export function columnsOf(
  header: readonly string[],
  attributes: (name: string) => string | undefined,
  mapping: Mapping = new Map(),
): Column[] {
  const chosen = new Set(header.flatMap((cell) => mapping.get(cell) ?? []));
  const seen = new Set<string>();
  let named = 0;
  return header.map((cell) => {
    if (cell === '') return null;
    named += 1;
    if (named > MAX_COLUMNS) return null;
    const column = mapping.has(cell) ? (mapping.get(cell) ?? null) : unlessChosen(columnOf(cell, attributes), chosen);
    if (column === null || seen.has(folded(column))) return null;
    if (!SEVERAL.has(column)) seen.add(folded(column));
    return column;
  });
}

const unlessChosen = (column: Column, chosen: ReadonlySet<Column>): Column => (chosen.has(column) ? null : column);

function columnOf(cell: string, attributes: (name: string) => string | undefined): Column {
  const bare = cell.replace(/^\uFEFF/, '').trim();
  const written = folded(bare);
  const field = fieldNamed(written);
  if (field) return field;
  const name = ATTRIBUTE.exec(bare)?.[1];
  const key = name === undefined ? attributes(written) : (attributes(folded(name)) ?? name.replace(/\s+/g, '_'));
  return key !== undefined && ATTRIBUTE_KEY.test(key) ? `attr.${key}` : null;
}

export const namePeople = (columns: readonly Column[]): boolean => columns.some((column) => isOneOf(NAMED_BY, column));
