import { international } from '../../../domain/numbers/plans.ts';
import { codeOf, type NumberRead, sentenceOf } from '../../../domain/numbers/read-number.ts';
import type { ImportedContact, ReadContact, RowError, RowPerson } from './cells.ts';
import { emptyPhone } from './phone-cells.ts';

/** All numbers that may be a person's. */
export const digitsOf = (reads: readonly NumberRead[]): readonly string[] =>
  reads.flatMap((read) => (read.kind === 'number' ? [read.digits] : read.kind === 'ambiguous' ? read.readings : []));

/** The contact of a row whose candidates are read, in their order, or what is wrong with them. */
export function numbered({ phones, ...row }: ReadContact, reads: readonly NumberRead[]): ImportedContact | RowError {
  const numbers = reads.flatMap((read) => (read.kind === 'number' ? [read.digits] : []));
  const phone = numbers.find(isMobile) ?? numbers[0];
  return phone === undefined ? (faultOf({ ...row, phones }, reads) ?? emptyPhone(row.row)) : { ...row, phone };
}

/** What is wrong with the numbers of a row; null: one of them can be read. */
export function faultOf({ row, phones }: RowPerson, reads: readonly NumberRead[]): RowError | null {
  if (reads.some(({ kind }) => kind === 'number')) return null;
  const nth = Math.max(
    0,
    reads.findIndex(({ kind }) => kind === 'ambiguous'),
  );
  const read = reads[nth];
  if (!read || read.kind === 'number') return null;
  const readings = read.kind === 'ambiguous' ? read.readings.map((digits) => `+${digits}`) : null;
  return { row, field: 'phone', error: sentenceOf(phones[nth] ?? '', read), code: codeOf(read), ...(readings && { readings }) };
}

const isMobile = (digits: string): boolean => international(digits)?.degree() === 'mobile';
