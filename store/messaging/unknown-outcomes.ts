import type { Collection, Filter } from '../port.ts';
import type { MessageCost, MessageRow } from './message-row.ts';
import { changed, messageMove } from './message-status.ts';
import { FIRST } from './net-ids.ts';

export interface UnknownOutcomes {
  onTheWire(sessionId: string, before: number): Promise<readonly MessageRow[]>;
  /** `sending → failed`. Returns false if the message has an outcome or is being sent again. */
  giveUp(row: MessageRow): Promise<boolean>;
  /** `sending` or an unknown outcome → `sent`. Returns false if the outcome was already known. */
  prove(sessionId: string, id: string, attempt: number, netId: string, at: number): Promise<boolean>;
  /** If `id` is null, the message is identified by its network id. */
  noteCost(sessionId: string, of: { readonly id: string | null; readonly netId: string }, cost: MessageCost): Promise<boolean>;
  noteHeld(sessionId: string, id: string): Promise<void>;
  /**
   * Checks up to `limit` messages, starting with the device after `after`. Returns the `after` of
   * the next call, or '' at the end.
   */
  giveUpForgotten(before: number, after: string, limit: number): Promise<string>;
}

const GIVE_UP = messageMove('failed', 'sending');
const PROVE = messageMove('sent', 'sending');
const UNKNOWN = changed({ ...GIVE_UP.to, error: 'unknown_outcome' });
const ORDER = { session_id: 1, created_at: -1, _id: -1 } as const;
const CLAIMED = { session_id: 1, claimed_at: 1 } as const;

export function unknownOutcomesIn(messages: Collection<MessageRow>): UnknownOutcomes {
  const claimedBefore = (before: number): Filter => ({ ...GIVE_UP.from, claimed_at: { $lt: before } });

  return {
    onTheWire: (session_id, before) => messages.find({ session_id, ...claimedBefore(before) }).toArray(),

    async giveUp({ _id, epoch, attempts }) {
      return (await messages.updateOne({ _id, ...GIVE_UP.from, epoch, attempts }, UNKNOWN)).matchedCount === 1;
    },

    async prove(session_id, _id, attempt, net_id, sent_at) {
      const isUnknown = { $or: [{ status: 'sending' }, { status: 'failed', error: 'unknown_outcome' }] };
      const of = attempt > 1 ? { retries: attempt - 1 } : { retries: { $exists: false } };
      const proved = changed({ ...PROVE.to, error: null, sent_at, net_id });
      return (await messages.updateOne({ _id, session_id, ...of, ...isUnknown }, proved)).matchedCount === 1;
    },

    async noteCost(session_id, { id, netId }, cost) {
      const one = id === null ? { session_id, net_id: netId, ...FIRST } : { _id: id, session_id };
      const unpriced = { ...one, direction: 'outbound', cost: { $exists: false } };
      return (await messages.updateOne(unpriced, changed({ cost }))).matchedCount === 1;
    },

    noteHeld: async (session_id, _id) => void (await messages.updateOne({ _id, session_id, ...GIVE_UP.from }, { $set: { held: true } })),

    async giveUpForgotten(before, after, limit) {
      const onWire = { session_id: { $gt: after }, ...GIVE_UP.from };
      const rows = await messages.find(onWire, { sort: ORDER, limit, projection: CLAIMED }).toArray();
      const forgotten = rows.filter(({ claimed_at }) => claimed_at !== null && claimed_at < before);
      if (forgotten.length > 0)
        await messages.updateMany({ _id: { $in: forgotten.map(({ _id }) => _id) }, ...claimedBefore(before) }, UNKNOWN);
      return rows.length === limit ? (rows.at(-1)?.session_id ?? '') : '';
    },
  };
}
