import type { Collection, Store, Update } from './collection.ts';
import type { MessageRow, Owner, StoredStatus } from './message-row.ts';

/** The network's word on messages of ours: its ack of `ids`, or a receipt of what it knows as `netIds`. `at`: epoch ms. */
export type Word =
  | { readonly status: 'sent'; readonly ids: readonly string[]; readonly at: number }
  | { readonly status: 'delivered' | 'read'; readonly netIds: readonly string[]; readonly at: number };

/** How far messages came, of those that their device still owns. */
export interface MessageMarks {
  /** `sending → sent`; receipts move forward only: a late `delivered` never undoes `read`. In this order, with one commit where the store allows. */
  mark(owner: Owner, words: readonly Word[]): Promise<void>;
}

const BEFORE: Readonly<Record<Word['status'], readonly StoredStatus[]>> = {
  sent: ['sending'],
  delivered: ['sending', 'sent'],
  read: ['sending', 'sent', 'delivered'],
};

export function messageMarksIn(store: Pick<Store, 'name'>, messages: Collection<MessageRow>): MessageMarks {
  async function mark({ sessionId, epoch }: Owner, word: Word): Promise<void> {
    const { status, at } = word;
    const filter = { status: { $in: BEFORE[status] }, epoch: { $lte: epoch } };
    const update: Update = { $set: { status, [`${status}_at`]: at, owes: true }, $inc: { rev: 1 } };
    if (word.status !== 'sent') await messages.updateMany({ session_id: sessionId, net_id: { $in: word.netIds }, ...filter }, update);
    else if (word.ids.length === 1) await messages.updateOne({ _id: word.ids[0]!, ...filter }, update);
    else await messages.updateMany({ _id: { $in: word.ids }, ...filter }, update);
  }

  return {
    async mark(owner, words) {
      // The embedded store does one after the other whoever waits for it; over a network the later ones could overtake.
      if (store.name === 'embedded') await Promise.all(words.map((word) => mark(owner, word)));
      else for (const word of words) await mark(owner, word);
    },
  };
}
