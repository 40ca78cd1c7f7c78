import { batchesOf } from '../patterns/batches-of.ts';
import type { Collection, Filter, Update } from '../port.ts';
import type { MessageRow, Owner } from './message-row.ts';
import { messageMove } from './message-status.ts';
import { alikeByTimer, type ChatTimer, lifetime, withLifetime } from './timed.ts';
import type { WireIds } from './wire-ids.ts';

export interface Claims {
  claim(owner: Owner, rows: readonly MessageRow[], now: number, timerOf?: (chatId: string) => ChatTimer | null): Promise<MessageRow[]>;
  /**
   * Claims messages that were being sent when the last connection ended. They keep their network
   * ids.
   */
  retake(owner: Owner, limit: number): Promise<MessageRow[]>;
}

const CLAIM = messageMove('sending');
const OLDEST_FIRST = { created_at: 1, _id: 1 } as const;

export function claimsIn(messages: Collection<MessageRow>, wireIds: WireIds): Claims {
  return {
    async claim({ epoch }, rows, now, timerOf = () => null) {
      const from = { ...CLAIM.from, epoch: { $lte: epoch } };
      const claim = async (timer: ChatTimer | null, alike: readonly MessageRow[]): Promise<MessageRow[]> => {
        const { $set, ...rest } = lifetime(timer, alike, now);
        const update = { ...rest, $set: { ...CLAIM.to, epoch, claimed_at: now, ...$set }, $inc: { attempts: 1 } };
        const taken = await takeAll(messages, alike, from, update, { ...CLAIM.to, epoch });
        return taken.map((row) => withLifetime(row, timer, now));
      };
      const parts = await Promise.all(alikeByTimer(rows, timerOf).map(([timer, alike]) => claim(timer, alike)));
      const places = new Map(rows.map(({ _id }, place) => [_id, place]));
      const taken = parts.flat().toSorted((one, other) => (places.get(one._id) ?? 0) - (places.get(other._id) ?? 0));
      wireIds.learn(taken);
      return taken;
    },

    async retake({ tenantId, sessionId, epoch }, limit) {
      const found = messages.find({ session_id: sessionId, tenant_id: tenantId, status: 'sending' }, { sort: OLDEST_FIRST, limit });
      const update = { $set: { epoch }, $inc: { attempts: 1 } };
      const taken: MessageRow[] = [];
      for await (const some of batchesOf(found))
        taken.push(...(await takeAll(messages, some, { status: 'sending', epoch: { $lte: epoch } }, update, { status: 'sending', epoch })));
      return taken;
    },
  };
}

/** Also compares network ids, because a campaign message may be released again under the same id. */
async function takeAll(
  messages: Collection<MessageRow>,
  found: readonly MessageRow[],
  from: Filter,
  update: Update,
  to: Filter,
): Promise<MessageRow[]> {
  if (found.length === 0) return [];
  const same = { _id: { $in: found.map(({ _id }) => _id) }, net_id: { $in: found.map(({ net_id }) => net_id) } };
  const { matchedCount } = await messages.updateMany({ ...same, ...from }, update);
  const taken = matchedCount === found.length ? found : await messages.find({ ...same, ...to }).toArray();
  const moved = new Set(taken.map(({ _id }) => _id));
  return found.filter(({ _id }) => moved.has(_id)).map((row) => ({ ...row, attempts: row.attempts + 1 }));
}
