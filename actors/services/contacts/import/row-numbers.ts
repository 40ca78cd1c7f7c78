import { international } from '../../../domain/numbers/plans.ts';
import { codeOf, sentenceOf } from '../../../domain/numbers/read-number.ts';
import { isLid } from '../../../network/jid.ts';
import type { PersonRead } from '../../identities/person-reader.ts';
import type { ImportedContact, ReadContact, RowError, RowPerson } from './cells.ts';
import { emptyPhone } from './phone-cells.ts';

export const subjectsOf = (reads: readonly PersonRead[]): readonly string[] =>
  reads.flatMap((read) => (read.kind === 'person' ? [read.subject] : read.kind === 'ambiguous' ? read.readings : []));

export function numbered({ phones, ...row }: ReadContact, reads: readonly PersonRead[]): ImportedContact | RowError {
  const numbers = reads.flatMap((read) => (read.kind === 'person' ? [read.subject] : []));
  const phone = numbers.find(isMobile) ?? numbers[0];
  return phone === undefined ? (faultOf({ ...row, phones }, reads) ?? emptyPhone(row.row)) : { ...row, phone };
}

export function faultOf({ row, phones, by }: RowPerson, reads: readonly PersonRead[]): RowError | null {
  if (reads.some(({ kind }) => kind === 'person')) return null;
  const nth = Math.max(
    0,
    reads.findIndex(({ kind }) => kind === 'ambiguous'),
  );
  const read = reads[nth];
  if (!read || read.kind === 'person') return null;
  const readings = read.kind === 'ambiguous' ? read.readings.map((digits) => `+${digits}`) : null;
  return { row, field: by, error: sentenceOf(phones[nth] ?? '', read), code: codeOf(read), ...(readings && { readings }) };
}

const isMobile = (subject: string): boolean => !isLid(subject) && international(subject)?.degree() === 'mobile';
