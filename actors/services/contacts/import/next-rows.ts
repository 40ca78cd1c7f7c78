import { type ImportFiles, PIECE_BYTES } from '../../../../store/contacts/import-files.ts';
import type { ImportJob } from '../../../../store/jobs/jobs.ts';
import { MAX_ROW_BYTES, type ReadRows } from './read-rows.ts';
import type { ImportReader } from './reader.ts';

interface NextRowsDeps {
  readonly files: Pick<ImportFiles, 'read'>;
  readonly reader: Pick<ImportReader, 'rows'>;
}

/** The next complete rows of a file: one piece of it, or more where its first row is longer. Rejects when the file has expired. */
export async function nextRows({ files, reader }: NextRowsDeps, { _id, tenant_id, place, file }: ImportJob): Promise<ReadRows> {
  const { form, optIn } = file;
  const part = async (length: number): Promise<ReadRows> => {
    const bytes = await files.read(_id, place.offset, length);
    const isLast = place.offset + bytes.length >= file.bytes;
    return reader.rows(tenant_id, { bytes, isLast, isLongest: length === MAX_ROW_BYTES, form, line: place.line, optIn });
  };
  for (const length of [PIECE_BYTES, MAX_ROW_BYTES]) {
    const read = await part(length);
    if (read.consumed > 0) return read;
  }
  throw new Error('the file of an import is gone');
}
