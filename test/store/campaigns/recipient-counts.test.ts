import assert from 'node:assert/strict';
import { it } from 'node:test';
import { replacingStore } from '../../../scripts/faults/replacing-store.ts';
import { type RecipientRow, recipientsIn } from '../../../store/campaigns/recipients.ts';
import type { Store } from '../../../store/port.ts';
import { eachStore } from '../../support/stores.ts';

const BLANK = { name: null, var1: null, var2: null, var3: null, var4: null, var5: null, delivered_at: null, read_at: null } as const;

const sent = (nth: number): RecipientRow => ({
  _id: `r${nth}`,
  blast_id: 'b',
  tenant_id: 't',
  phone: `62811000000${nth}`,
  zone: 'Asia/Jakarta',
  status: 'sent',
  error: null,
  session_id: 's',
  created_at: 1,
  sent_at: 1,
  ...BLANK,
});

/** A store that counts one thing after the other; `meanwhile` is called before the count of this number. */
function countingInTurn(store: Store, before: number, meanwhile: () => Promise<unknown>): Store {
  let counted = 0;
  let last: Promise<unknown> = Promise.resolve();
  return replacingStore(store, (_name, raw) => ({
    countDocuments(...asked: Parameters<typeof raw.countDocuments>) {
      const counting = last.then(async () => {
        counted += 1;
        if (counted === before) await meanwhile();
        return raw.countDocuments(...asked);
      });
      last = counting;
      return counting;
    },
  }));
}

eachStore("a campaign's recipient counts", (kind) => {
  it('include each recipient once, even if receipts arrive while they are counted', async (t) => {
    const store = await kind.fresh(t);
    const recipients = recipientsIn(store);
    await store.prepare();
    const rows = [1, 2, 3, 4, 5, 6, 7].map(sent);
    await recipients.add([...rows, { ...sent(8), status: 'failed', error: 'not_on_network' }, { ...sent(9), status: 'invalid' }]);
    for (const status of ['delivered', 'read'] as const)
      for (const [nth, row] of rows.entries()) {
        const received = () => recipients.cameOut([{ ...row, status, delivered_at: 2 }]);
        const counts = await recipientsIn(countingInTurn(store, nth + 1, received)).counts('b', 'running');
        assert.partialDeepStrictEqual(
          counts,
          { total_recipients: 8, sent_count: 7, failed_count: 1, skipped_count: 0 },
          `${status} before count ${nth + 1}`,
        );
      }
  });
});
