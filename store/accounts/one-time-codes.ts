import { countUpTo } from '../patterns/bounded-counter.ts';
import { upsertWhere } from '../patterns/upsert-where.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

interface CodeRow {
  readonly _id: string;
  readonly hash: string;
  readonly guesses: number;
  /** No other code is created before this time, so that the last code sent is always the stored one. */
  readonly sending_until: number;
  readonly expires_at: number;
}

interface FailuresRow {
  readonly _id: string;
  readonly wrong: number;
  readonly expires_at: number;
}

const DAY_MS = 86_400_000;

export interface IssuedCode {
  readonly hash: string;
  readonly expires_at: number;
  readonly sending_until: number;
}

export interface OneTimeCodes {
  /** Invalidates the previous code. Returns false if another code is being sent. */
  issue(phone: string, code: IssuedCode, now: number): Promise<boolean>;
  renew(phone: string, hash: string, sendingUntil: number): Promise<boolean>;
  sent(phone: string, hash: string): Promise<void>;
  takeGuess(phone: string, guesses: number, now: number): Promise<string | null>;
  consume(phone: string, hash: string): Promise<boolean>;
  takeFailure(counter: string, budget: number, now: number): Promise<boolean>;
  takeSending(phone: string, budget: number, windowMs: number, now: number): Promise<boolean>;
  giveBackFailure(counter: string, now: number): Promise<void>;
}

const codes: CollectionSpec = { name: 'one_time_codes', indexes: [], expires: 'expires_at' };
const failures: CollectionSpec = { name: 'code_failures', indexes: [], expires: 'expires_at' };

export function oneTimeCodesIn(store: Store): OneTimeCodes {
  const live: Collection<CodeRow> = store.collection<CodeRow>(codes);
  const wrong: Collection<FailuresRow> = store.collection<FailuresRow>(failures);

  return {
    issue: (_id, code, now) => upsertWhere(live, { _id, sending_until: { $lte: now } }, { $set: { ...code, guesses: 0 } }),

    renew: async (_id, hash, sending_until) =>
      (await live.updateOne({ _id, hash, sending_until: { $gt: 0 } }, { $set: { sending_until } })).matchedCount === 1,

    sent: async (_id, hash) => void (await live.updateOne({ _id, hash }, { $set: { sending_until: 0 } })),

    async takeGuess(phone, guesses, now) {
      const filter = { _id: phone, expires_at: { $gt: now }, guesses: { $lt: guesses } };
      return (await live.findOneAndUpdate(filter, { $inc: { guesses: 1 } }, { returnDocument: 'after' }))?.hash ?? null;
    },

    consume: async (phone, hash) => (await live.deleteOne({ _id: phone, hash })).deletedCount === 1,

    takeFailure: (counter, budget, now) =>
      countUpTo(wrong, { _id: dayKey(counter, now), field: 'wrong', by: 1, limit: budget, first: { expires_at: now + DAY_MS } }),

    takeSending(phone, budget, windowMs, now) {
      const _id = `codes to ${phone}:${Math.floor(now / windowMs)}`;
      return countUpTo(wrong, { _id, field: 'wrong', by: 1, limit: budget, first: { expires_at: now + windowMs } });
    },

    async giveBackFailure(counter, now) {
      await wrong.updateOne({ _id: dayKey(counter, now) }, { $inc: { wrong: -1 } });
    },
  };
}

const dayKey = (counter: string, now: number): string => `${counter}:${Math.floor(now / DAY_MS)}`;
