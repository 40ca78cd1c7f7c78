import { countUpTo } from '../patterns/bounded-counter.ts';
import { upsertWhere } from '../patterns/upsert-where.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

/** The last code sent to a phone. Only a keyed hash of the code is stored. */
interface CodeRow {
  readonly _id: string;
  readonly hash: string;
  readonly guesses: number;
  /**
   * Until then the code is being sent and no other code is created, so that the last code on the
   * phone is the stored one.
   */
  readonly sending_until: number;
  readonly expires_at: number;
}

/** A counter of wrong guesses or of sent codes. */
interface FailuresRow {
  readonly _id: string;
  readonly wrong: number;
  readonly expires_at: number;
}

const DAY_MS = 86_400_000;

/** A new code's hash, its expiry, and the latest end of its sending; epoch ms. */
export interface IssuedCode {
  readonly hash: string;
  readonly expires_at: number;
  readonly sending_until: number;
}

/** One-time codes, by phone (digits). Times are epoch ms. */
export interface OneTimeCodes {
  /**
   * Stores a new code before it is sent and voids the previous one. Returns false if another code
   * is being sent.
   */
  issue(phone: string, code: IssuedCode, now: number): Promise<boolean>;
  /**
   * Extends the sending of a code to `sendingUntil`. Returns false if its sending is over or
   * another code was created.
   */
  renew(phone: string, hash: string, sendingUntil: number): Promise<boolean>;
  /** Records that sending has ended, with or without success. */
  sent(phone: string, hash: string): Promise<void>;
  /**
   * Uses one of the live code's `guesses` and returns the hash to compare with; null when there is
   * no live code or no guess left.
   */
  takeGuess(phone: string, guesses: number, now: number): Promise<string | null>;
  /** Consumes the code. Returns true for exactly one caller. */
  consume(phone: string, hash: string): Promise<boolean>;
  /**
   * Uses one of the `budget` wrong guesses a day (UTC) of a counter (a phone, a person or a
   * network). Returns false if none is left.
   */
  takeFailure(counter: string, budget: number, now: number): Promise<boolean>;
  /**
   * Uses one of the `budget` codes for a phone in each `windowMs` (aligned to the clock). Returns
   * false if none is left.
   */
  takeSending(phone: string, budget: number, windowMs: number, now: number): Promise<boolean>;
  /** Returns a guess that turned out to be right. */
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
