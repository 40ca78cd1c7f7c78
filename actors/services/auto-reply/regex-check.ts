import type { Clock } from '../../../runtime/clock.ts';
import { FairSlots } from '../../../runtime/fair-slots.ts';
import { WorkerPool } from '../../../runtime/worker-pool.ts';
import { refusal } from '../../domain/refusals.ts';
import type { PatternQuestion, PatternVerdict } from './regex-worker.ts';

export interface RegexCheck {
  expectSafe(tenantId: string, source: string, matchCase: boolean): Promise<void>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 60_000;
const RETRY_MS = 5_000;
const MAX_WAITING = 20;

export function createRegexCheck(clock: Clock, timeoutMs: number = TIMEOUT_MS): RegexCheck {
  const worker = new WorkerPool(new URL('./regex-worker.ts', import.meta.url));
  const full = (): Error => refusal('OVERLOADED', { retryAfterMs: RETRY_MS });
  const slots = new FairSlots({ slots: 1, share: 1, waiting: MAX_WAITING, full });

  async function judged(question: PatternQuestion): Promise<PatternVerdict> {
    const killer = new AbortController();
    const cancel = clock.after(timeoutMs, () => killer.abort());
    try {
      return await worker.run(question, { signal: killer.signal });
    } catch (cause) {
      if (killer.signal.aborted) throw full();
      throw cause;
    } finally {
      cancel();
    }
  }

  return {
    async expectSafe(tenantId, source, matchCase) {
      // The timeout starts with the check itself. Time in the queue is not included.
      const verdict = await slots.run(tenantId, () => judged({ source, matchCase }));
      if (verdict === 'invalid') throw refusal('VALIDATION_FAILED', { field: 'trigger_text', reason: NO_PATTERN });
      if (verdict === 'unsupported') throw refusal('UNSAFE_REGEX', { reason: UNSUPPORTED });
      if (verdict === 'unsafe') throw refusal('UNSAFE_REGEX');
    },

    close: () => worker.close(),
  };
}

const NO_PATTERN = { en: 'trigger_text is not a regular expression', id: 'trigger_text bukan ekspresi reguler' };
const UNSUPPORTED = {
  en: 'remove look-arounds, back-references and large repeat counts',
  id: 'hapus look-around, back-reference, dan pengulangan berjumlah besar',
};
