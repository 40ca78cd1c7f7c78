import { FairSlots } from '../../../../runtime/fair-slots.ts';
import { runOnThread, TaskEnded } from '../../../../runtime/one-task-thread.ts';
import { refusal } from '../../../domain/refusals.ts';
import type { ReadProgress, ReadTask } from './reader-thread.ts';
import { REASONS, type Reading } from './reading.ts';

/** Reads files of documents, each on a thread of its own, of each tenant in turn. */
export interface DocumentReader {
  /** Refuses OVERLOADED when too much of this tenant waits. */
  read(tenantId: string, task: ReadTask, onProgress: (progress: ReadProgress) => void): Promise<Reading>;
}

export const READ_LIMITS = { withinMs: 60_000, maxHeapMb: 256, maxBuffersMb: 384 };
/** At once, on this node: so many of their limits in memory. */
const SLOTS = 2;
const MAX_WAITING = 10;

export function createDocumentReader(limits = READ_LIMITS): DocumentReader {
  const full = (): Error => refusal('OVERLOADED', { retryAfterMs: 5_000 });
  const slots = new FairSlots({ slots: SLOTS, share: 1, waiting: MAX_WAITING, full });
  const thread = new URL('./reader-thread.ts', import.meta.url);
  return {
    read: (tenantId, task, onProgress) =>
      slots.run(tenantId, async () => {
        try {
          return await runOnThread<ReadProgress, Reading>(thread, task, limits, onProgress);
        } catch (cause) {
          if (!(cause instanceof TaskEnded)) throw cause;
          return { ok: false, reason: REASONS[cause.failure] };
        }
      }),
  };
}
