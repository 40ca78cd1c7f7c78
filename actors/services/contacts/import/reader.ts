import type { ChildProcesses } from '../../../../runtime/child-processes/child-processes.ts';
import { TimeSpent } from '../../../../runtime/child-processes/cpu-budget.ts';
import type { Staged } from '../../../../runtime/child-processes/job-folders.ts';
import type { NodeJob } from '../../../../runtime/child-processes/node-jobs.ts';
import { ChildEnded } from '../../../../runtime/child-processes/watched-process.ts';
import { FairSlots } from '../../../../runtime/fair-slots.ts';
import { spentTime } from '../../../domain/processor-time.ts';
import { refusal } from '../../../domain/refusals.ts';
import type { Convertible } from './convert.ts';
import type { JsonFault } from './json-rows.ts';
import type { FilePart, ReadRows } from './read-rows.ts';
import type { ImportOrder } from './reader-jobs.ts';
import { type ConvertedTable, type JsonBody, jsonIn, rowsIn, tableIn } from './reader-result.ts';

/**
 * Reads contact files in child processes. Tenants take turns. A child reads the parts of one file
 * in sequence, until it has been idle for a while or another tenant has its turn. Every method
 * fails with OVERLOADED. If a retry cannot succeed, it rejects with ImportStopped.
 */

export interface ImportReader {
  rows(tenantId: string, part: FilePart): Promise<ReadRows>;
  /** Reads JSON. Once there is capacity, `receive` is called and must stage the body. */
  json(tenantId: string, receive: (stage: ChildProcesses['stage']) => Promise<Staged>): Promise<JsonBody | JsonFault>;
  table(tenantId: string, kind: Convertible, receive: (stage: ChildProcesses['stage']) => Promise<Staged>): Promise<ConvertedTable>;
  expectTime(tenantId: string): Promise<void>;
}

type Text = Readonly<Record<'en' | 'id', string>>;

export class ImportStopped extends Error {
  override readonly name = 'ImportStopped';
  readonly reason: Text;
  /** When the tenant may use processor time again. Null if the file itself is at fault. */
  readonly freeAt: number | null;

  constructor(reason: Text, freeAt: number | null, cause: unknown) {
    super(reason.en, { cause });
    this.reason = reason;
    this.freeAt = freeAt;
  }
}

export interface ImportReaderDeps {
  readonly children: Pick<ChildProcesses, 'jobs' | 'stage' | 'expectTime'>;
  zoneOf(tenantId: string): Promise<string>;
}

const LIMITS = { wallMs: 30_000, cpuSeconds: 60, heapMb: 256, memoryMb: 512, resultMb: 64 };
/** While one part of a file is imported, the child waits this long for the next part. */
const KEPT_MS = 5_000;
const MAX_WAITING = 10;
const FILES = 8;
const FILES_OF_TENANT = 2;

export function createImportReader({ children, zoneOf }: ImportReaderDeps): ImportReader {
  const full = (): Error => refusal('OVERLOADED', { retryAfterMs: 5_000 });
  const slots = new FairSlots({ slots: 1, share: 1, waiting: MAX_WAITING, full });
  const files = new FairSlots({ slots: FILES, share: FILES_OF_TENANT, waiting: MAX_WAITING, full });
  const jobs = children.jobs({ module: new URL('./reader-jobs.ts', import.meta.url), limits: LIMITS, keptMs: KEPT_MS });

  async function stopped(tenantId: string, cause: unknown): Promise<unknown> {
    if (cause instanceof TimeSpent) return new ImportStopped(spentTime(await zoneOf(tenantId), cause.freeAt), cause.freeAt, cause);
    if (!(cause instanceof ChildEnded)) return cause;
    if (cause.failure === 'stopped' || cause.failure === 'unwatched') return full();
    return new ImportStopped(cause.failure === 'time' ? TOO_LONG : cause.failure === 'memory' ? TOO_LARGE : UNREADABLE, null, cause);
  }

  async function run<R>(tenantId: string, order: ImportOrder, job: Pick<NodeJob<R>, 'input' | 'result'>): Promise<R> {
    try {
      return await slots.run(tenantId, () => jobs.run(tenantId, { ...job, order }));
    } catch (cause) {
      throw await stopped(tenantId, cause);
    } finally {
      await job.input.remove();
    }
  }

  return {
    async rows(tenantId, { bytes, ...part }) {
      const input = await children.stage([bytes]);
      return run(tenantId, { read: 'rows', part }, { input, result: (file) => rowsIn(file, { bytes: bytes.length, line: part.line }) });
    },

    json: (tenantId, receive) =>
      files.run(tenantId, async () => run(tenantId, { read: 'json' }, { input: await receive(children.stage), result: jsonIn })),

    table: (tenantId, kind, receive) =>
      files.run(tenantId, async () => {
        const table = await run(tenantId, { read: kind }, { input: await receive(children.stage), result: tableIn });
        if ('fault' in table) throw new ImportStopped(table.fault, null, table);
        return table;
      }),

    async expectTime(tenantId) {
      try {
        children.expectTime(tenantId);
      } catch (cause) {
        throw await stopped(tenantId, cause);
      }
    },
  };
}

const TOO_LONG = {
  en: 'reading the file took too long; split it',
  id: 'berkas membutuhkan waktu terlalu lama untuk dibaca; bagilah',
};
const TOO_LARGE = {
  en: 'reading the file took too much memory; split it',
  id: 'berkas membutuhkan terlalu banyak memori untuk dibaca; bagilah',
};
const UNREADABLE = { en: 'the file could not be read', id: 'berkas tidak dapat dibaca' };
