import { Piscina } from 'piscina';
import type { Clock } from '../../runtime/clock.ts';
import { refusal } from '../refusals.ts';
import type { PatternQuestion, PatternVerdict } from './regex-worker.ts';

/** Judges the regular expressions of rules on a thread of its own, which starts with the first one. */
export interface RegexCheck {
  /** Refuses VALIDATION_FAILED for what is no pattern, UNSAFE_REGEX, and OVERLOADED when too many wait. */
  expectSafe(source: string, matchCase: boolean): Promise<void>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 5_000;
/** A check that does not keep to its own time: its thread is ended. */
const KILLED_AFTER_MS = 15_000;
const IDLE_MS = 30_000;
const MOST_WAITING = 50;

export function createRegexCheck(clock: Clock): RegexCheck {
  let pool: Piscina | null = null;

  async function judged(question: PatternQuestion): Promise<PatternVerdict> {
    pool ??= new Piscina({
      // Node strips the types of the worker's file itself: no loader is needed there, and none is inherited.
      filename: new URL('./regex-worker.ts', import.meta.url).href,
      execArgv: [],
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: IDLE_MS,
      maxQueue: MOST_WAITING,
    });
    if (pool.queueSize >= MOST_WAITING) throw refusal('OVERLOADED', { retryAfterMs: 5_000 });
    const killer = new AbortController();
    const cancel = clock.after(KILLED_AFTER_MS, () => killer.abort());
    try {
      return await pool.run(question, { signal: killer.signal });
    } catch (cause) {
      if (killer.signal.aborted) return 'unsafe';
      throw cause;
    } finally {
      cancel();
    }
  }

  return {
    async expectSafe(source, matchCase) {
      const verdict = await judged({ source, matchCase, timeoutMs: TIMEOUT_MS });
      if (verdict === 'invalid') throw refusal('VALIDATION_FAILED', { reason: NO_PATTERN });
      if (verdict === 'unsupported') throw refusal('UNSAFE_REGEX', { reason: UNSUPPORTED });
      if (verdict === 'unsafe') throw refusal('UNSAFE_REGEX');
    },

    async close() {
      await pool?.destroy();
      pool = null;
    },
  };
}

const NO_PATTERN = { en: 'trigger_text is not a regular expression', id: 'trigger_text bukan ekspresi reguler' };
const UNSUPPORTED = {
  en: 'look-around, back-references and very many repeats cannot be matched in linear time',
  id: 'look-around, back-reference, dan pengulangan sangat banyak tidak dapat dicocokkan dalam waktu linear',
};
