import type { Collection, Filter } from '../port.ts';
import type { MessageRow } from './message-row.ts';
import { changed, messageMove } from './message-status.ts';

/** Messages on the wire of which nobody will learn any more what became of them. */
export interface UnknownOutcomes {
  /** What this device claimed before `before` (epoch ms) and has on the wire since. */
  onTheWire(sessionId: string, before: number): Promise<readonly MessageRow[]>;
  /** `sending → failed` with `unknown_outcome`; false: it has an outcome, or is sent once more. */
  giveUp(row: MessageRow): Promise<boolean>;
  /** A status of the platform proves a message whose outcome was not known: it has this network id from now on. False: it was known. */
  prove(sessionId: string, id: string, attempt: number, netId: string, at: number): Promise<boolean>;
  /**
   * The same for what was claimed before `before` (epoch ms), on any device: among the first `limit` that are on the wire of devices beyond the id
   * `after`. Gives the device behind which the next look goes on; '': it begins anew.
   */
  giveUpForgotten(before: number, after: string, limit: number): Promise<string>;
}

const GIVE_UP = messageMove('failed', 'sending');
const PROVE = messageMove('sent', 'sending');
const UNKNOWN = changed({ ...GIVE_UP.to, error: 'unknown_outcome' });
/** As the index has them. */
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
