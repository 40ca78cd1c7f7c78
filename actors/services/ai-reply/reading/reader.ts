import type { ChildProcesses } from '../../../../runtime/child-processes/child-processes.ts';
import { TimeSpent } from '../../../../runtime/child-processes/cpu-budget.ts';
import type { Staged } from '../../../../runtime/child-processes/job-folders.ts';
import { ChildEnded } from '../../../../runtime/child-processes/watched-process.ts';
import { FairSlots } from '../../../../runtime/fair-slots.ts';
import type { DocumentType } from '../../../../store/ai-reply/documents.ts';
import type { ReadingAttempts } from '../../../../store/ai-reply/reading-attempts.ts';
import { spentTime } from '../../../domain/processor-time.ts';
import { refusal } from '../../../domain/refusals.ts';
import { Unreadable } from '../../archives/unreadable.ts';
import { readingIn } from './reader-result.ts';
import { REASONS, type Reading, stoppedTwice, type Words } from './reading.ts';

/**
 * Reads each file in a separate child process. Tenants take turns. An attempt is counted in the
 * store before the child gets the file. A file that crashes its reader is therefore abandoned after
 * some attempts (`ReadingAttempts`). `ChildProcesses` limits a tenant's processor time.
 */

export interface DocumentReader {
  /** `file.open` stages the file, or returns why that is impossible. Fails with OVERLOADED. */
  read(tenantId: string, file: DocumentFile, onProgress: (progress: number) => void): Promise<Reading>;
  /** Interrupts all reads. An interrupted read does not count as an attempt. */
  close(): Promise<void>;
}

export interface DocumentFile {
  /** The type according to the file name. Bytes that clearly show another type win. */
  readonly ext: DocumentType;
  open(stage: ChildProcesses['stage']): Promise<Staged | Words>;
}

export interface ReaderDeps {
  readonly children: Pick<ChildProcesses, 'jobs' | 'stage' | 'expectTime'>;
  readonly attempts: ReadingAttempts;
  zoneOf(tenantId: string): Promise<string>;
  now(): number;
}

export const READ_LIMITS = { wallMs: 60_000, cpuSeconds: 60, heapMb: 256, memoryMb: 512, resultMb: 32 };
const SLOTS = 2;
const MAX_WAITING = 10;

export function createDocumentReader(deps: ReaderDeps, limits = READ_LIMITS): DocumentReader {
  const { children, attempts, zoneOf, now } = deps;
  const full = (): Error => refusal('OVERLOADED', { retryAfterMs: 5_000 });
  const slots = new FairSlots({ slots: SLOTS, share: 1, waiting: MAX_WAITING, full });
  const jobs = children.jobs({ module: new URL('./reader-job.ts', import.meta.url), limits });

  async function read(tenantId: string, { ext }: DocumentFile, input: Staged, onProgress: (progress: number) => void): Promise<Reading> {
    const { sha256, bytes } = input;
    let isCounted = false;
    const job = jobs.run(tenantId, {
      input,
      order: { ext },
      async before() {
        const again = await attempts.begin(tenantId, sha256, now());
        if (again !== null) throw new Unreadable(stoppedTwice(await zoneOf(tenantId), again));
        isCounted = true;
      },
      onProgress,
      result: (file) => readingIn(file, bytes),
    });
    try {
      const reading = await job;
      await attempts.end(tenantId, sha256);
      return reading;
    } catch (cause) {
      if (cause instanceof ChildEnded && !isOfTheNode(cause)) throw cause;
      if (isCounted) await attempts.takeBack(tenantId, sha256);
      throw cause instanceof ChildEnded ? refusal('OVERLOADED', { retryAfterMs: 5_000 }) : cause;
    }
  }

  async function reasonOf(tenantId: string, cause: unknown): Promise<Words> {
    if (cause instanceof Unreadable) return cause.reason;
    if (cause instanceof TimeSpent) return spentTime(await zoneOf(tenantId), cause.freeAt);
    if (!(cause instanceof ChildEnded)) throw cause;
    return cause.failure === 'time' || cause.failure === 'memory' ? REASONS[cause.failure] : REASONS.crash;
  }

  const underWay = new Set<Promise<Reading>>();
  const tracked = (reading: Promise<Reading>): Promise<Reading> => {
    underWay.add(reading);
    return reading.finally(() => underWay.delete(reading));
  };

  return {
    async close() {
      await jobs.close();
      await Promise.allSettled(underWay);
    },

    async read(tenantId, file, onProgress) {
      try {
        children.expectTime(tenantId);
        const input = await file.open(children.stage);
        if (!('sha256' in input)) return { ok: false, reason: input };
        try {
          return await slots.run(tenantId, () => tracked(read(tenantId, file, input, onProgress)));
        } finally {
          await input.remove();
        }
      } catch (cause) {
        return { ok: false, reason: await reasonOf(tenantId, cause) };
      }
    },
  };
}

const isOfTheNode = ({ failure }: ChildEnded): boolean => failure === 'stopped' || failure === 'unwatched';
