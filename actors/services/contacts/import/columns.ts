import { folded } from '../../../../store/contacts/contacts.ts';
import type { ImportColumn as Column } from '../../../../store/jobs/jobs.ts';
import { ATTRIBUTE_KEY } from '../../../domain/text-tokens.ts';
import { fieldNamed } from './headers.ts';

const ATTRIBUTE = /^(?:attr|attribute|atribut)[.\s:_-]+(.+)$/i;

/** Columns with a name behind these are ignored: a header line of 48 KB can hold 49,000, which took 30 ms of CPU to name. */
const MAX_COLUMNS = 1_000;

/** The columns of a header line; `attributes` gives the key of one that the tenant has under this name. The first of two that say the same counts. */
export function columnsOf(header: readonly string[], attributes: (name: string) => string | undefined): Column[] {
  const seen = new Set<string>();
  let named = 0;
  return header.map((cell) => {
    if (cell === '') return null;
    named += 1;
    if (named > MAX_COLUMNS) return null;
    const column = columnOf(cell, attributes);
    if (column === null || seen.has(folded(column))) return null;
    seen.add(folded(column));
    return column;
  });
}

function columnOf(cell: string, attributes: (name: string) => string | undefined): Column {
  const plain = cell.replace(/^\uFEFF/, '').trim();
  const written = folded(plain);
  const field = fieldNamed(written);
  if (field) return field;
  const name = ATTRIBUTE.exec(plain)?.[1];
  const key = name === undefined ? attributes(written) : (attributes(folded(name)) ?? name.replace(/\s+/g, '_'));
  return key !== undefined && ATTRIBUTE_KEY.test(key) ? `attr.${key}` : null;
}
