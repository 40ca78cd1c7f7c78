import { createHash } from 'node:crypto';
import type { Clock } from '../../../../runtime/clock.ts';
import { newId } from '../../../../runtime/ids.ts';
import type { MediaBytes } from '../../../../store/media/media.ts';
import type { ExportRow, Exports } from '../../../../store/privacy/exports.ts';
import { csvText } from '../../../domain/csv.ts';
import type { RecordSection, Source } from './sections.ts';

export interface FileDeps {
  readonly exports: Pick<Exports, 'putFile'>;
  readonly bytes: Pick<MediaBytes, 'write' | 'remove'>;
  readonly clock: Pick<Clock, 'now'>;
}

const RECORDS_A_FILE = 2_000;

export const nameOf = (kind: string, nth: number, ending: 'json' | 'csv'): string => `${kind}${nth === 1 ? '' : `-${nth}`}.${ending}`;

export const partOf = ({ step, after }: Pick<ExportRow, 'step' | 'after'>): string => `${step} ${after ?? ''}`;

export async function putFile(
  { exports, bytes, clock }: FileDeps,
  { _id: export_id, tenant_id, step, after }: ExportRow,
  name: string,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const blob = newId(clock.now());
  const hash = createHash('sha256');
  let size = 0;
  async function* measured(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  }
  await bytes.write(tenant_id, blob, measured());
  const sha256 = hash.digest('hex');
  const before = await exports.putFile({
    _id: `${export_id}:${name}`,
    tenant_id,
    export_id,
    name,
    part: partOf({ step, after }),
    size,
    sha256,
    blob,
  });
  if (before !== null) await bytes.remove(tenant_id, before);
}

export async function putText(deps: FileDeps, row: ExportRow, name: string, text: string): Promise<void> {
  async function* once(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }
  await putFile(deps, row, name, once());
}

export const jsonOf = (records: readonly object[]): string => `[\n${records.map((record) => JSON.stringify(record)).join(',\n')}\n]\n`;

export async function putRecords(deps: FileDeps, row: ExportRow, section: RecordSection, source: Source): Promise<number> {
  const table = await section.csv?.(source);
  let records: object[] = [];
  let [nth, count] = [1, 0];
  const put = async (): Promise<void> => {
    await putText(deps, row, nameOf(section.name, nth, 'json'), jsonOf(records));
    if (table) await putText(deps, row, nameOf(section.name, nth, 'csv'), csvText([table.columns, ...records.map(table.cells)]));
    [nth, records] = [nth + 1, []];
  };
  for await (const record of section.read(source)) {
    records.push(record);
    count += 1;
    if (records.length === RECORDS_A_FILE) await put();
  }
  if (records.length > 0 || nth === 1) await put();
  return count;
}
