import type { Clock } from '../../runtime/clock.ts';
import { OneByOne } from '../device/one-by-one.ts';
import { OwnThread } from '../own-thread.ts';
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
const MOST_WAITING = 50;

export function createRegexCheck(clock: Clock): RegexCheck {
  const thread = new OwnThread(new URL('./regex-worker.ts', import.meta.url), MOST_WAITING);

  const turns = new OneByOne();
  let waiting = 0;

  async function judged(question: PatternQuestion): Promise<PatternVerdict> {
    const killer = new AbortController();
    const cancel = clock.after(KILLED_AFTER_MS, () => killer.abort());
    try {
      return await thread.run(question, { signal: killer.signal });
    } catch (cause) {
      if (killer.signal.aborted) return 'unsafe';
      throw cause;
    } finally {
      cancel();
    }
  }

  /** Its time begins with its turn: nobody's pattern is unsafe because somebody else's took long. */
  async function judgedInTurn(question: PatternQuestion): Promise<PatternVerdict> {
    if (waiting >= MOST_WAITING) throw refusal('OVERLOADED', { retryAfterMs: TIMEOUT_MS });
    waiting += 1;
    try {
      return await turns.run(() => judged(question));
    } finally {
      waiting -= 1;
    }
  }

  return {
    async expectSafe(source, matchCase) {
      const verdict = await judgedInTurn({ source, matchCase, timeoutMs: TIMEOUT_MS });
      if (verdict === 'invalid') throw refusal('VALIDATION_FAILED', { reason: NO_PATTERN });
      if (verdict === 'unsupported') throw refusal('UNSAFE_REGEX', { reason: UNSUPPORTED });
      if (verdict === 'unsafe') throw refusal('UNSAFE_REGEX');
    },

    close: () => thread.close(),
  };
}

const NO_PATTERN = { en: 'trigger_text is not a regular expression', id: 'trigger_text bukan ekspresi reguler' };
const UNSUPPORTED = {
  en: 'look-around, back-references and very many repeats cannot be matched in linear time',
  id: 'look-around, back-reference, dan pengulangan sangat banyak tidak dapat dicocokkan dalam waktu linear',
};
