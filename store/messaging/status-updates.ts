import { at } from '../../runtime/invariant.ts';
import type { Collection, Filter, Store } from '../port.ts';
import type { MessageRow, Owner } from './message-row.ts';
import { changed, messageMove } from './message-status.ts';
import type { WireIds } from './wire-ids.ts';

/** The network's word on messages of ours: its ack of `ids` (`serverId`: of the one post), or a receipt of what it knows as `netIds`. `at`: epoch ms. */
export type StatusUpdate =
  | { readonly status: 'sent'; readonly ids: readonly string[]; readonly at: number; readonly serverId?: string }
  | { readonly status: 'delivered' | 'read'; readonly netIds: readonly string[]; readonly at: number };

/** How far messages came, of those that their device still owns. */
export interface StatusUpdates {
  /** `sending → sent`; receipts move forward only: a late `delivered` never undoes `read`. In this order, with one commit where the store allows. */
  mark(owner: Owner, words: readonly StatusUpdate[]): Promise<void>;
}

const MOVES = { sent: messageMove('sent'), delivered: messageMove('delivered'), read: messageMove('read') } as const;

export function statusUpdatesIn(store: Pick<Store, 'name'>, messages: Collection<MessageRow>, wireIds: WireIds): StatusUpdates {
  async function mark({ sessionId, epoch }: Owner, word: StatusUpdate): Promise<void> {
    const { status, at: moment } = word;
    const { from, to } = MOVES[status];
    const filter = { ...from, epoch: { $lte: epoch } };
    const numbered = word.status === 'sent' && word.serverId !== undefined ? { server_id: word.serverId } : {};
    const update = changed({ ...to, [`${status}_at`]: moment, ...numbered });
    if (word.status !== 'sent') await messages.updateMany({ session_id: sessionId, ...named(sessionId, word.netIds), ...filter }, update);
    else if (word.ids.length === 1) await messages.updateOne({ _id: at(word.ids, 0), ...filter }, update);
    else await messages.updateMany({ _id: { $in: word.ids }, ...filter }, update);
  }

  function named(sessionId: string, netIds: readonly string[]): Filter {
    const ids = wireIds.of(sessionId, netIds);
    return ids ? { _id: { $in: ids } } : { net_id: { $in: netIds } };
  }

  return {
    async mark(owner, words) {
      // The embedded store preserves the order even without waiting; over a network, later writes could overtake.
      if (store.name === 'embedded') await Promise.all(words.map((word) => mark(owner, word)));
      else for (const word of words) await mark(owner, word);
    },
  };
}
