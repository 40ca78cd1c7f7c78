import { FairSlots } from '../../../../runtime/fair-slots.ts';
import { WorkerPool } from '../../../../runtime/worker-pool.ts';
import { refusal } from '../../../domain/refusals.ts';
import type { jsonAsRows } from './json-rows.ts';
import type { FilePart, ReadRows } from './read-rows.ts';

/** Reads files of contacts on a thread of its own, of each tenant in turn. Every method refuses OVERLOADED when too much of this tenant waits. */
export interface ImportReader {
  rows(tenantId: string, part: FilePart): Promise<ReadRows>;
  /** `read` gives the file, which is in memory from then on. It is called when there is room for it. */
  json(tenantId: string, read: () => Promise<Uint8Array>): Promise<ReturnType<typeof jsonAsRows>>;
  close(): Promise<void>;
}

/** Of one tenant. */
const MAX_WAITING = 10;
/** Whole files in memory: of all tenants, and of one. */
const FILES = 8;
const FILES_OF_TENANT = 2;

export function createImportReader(): ImportReader {
  const worker = new WorkerPool(new URL('./reader-worker.ts', import.meta.url));
  const full = (): Error => refusal('OVERLOADED', { retryAfterMs: 5_000 });
  const slots = new FairSlots({ slots: 1, share: 1, waiting: MAX_WAITING, full });
  const files = new FairSlots({ slots: FILES, share: FILES_OF_TENANT, waiting: MAX_WAITING, full });
  return {
    rows: (tenantId, part) => slots.run(tenantId, () => worker.run(part, { name: 'rows' })),
    json: (tenantId, read) =>
      files.run(tenantId, async () => {
        const bytes = await read();
        return slots.run(tenantId, () => worker.run(bytes, { name: 'json' }));
      }),
    close: () => worker.close(),
  };
}
