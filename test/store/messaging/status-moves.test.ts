import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seededRandom } from '../../../runtime/random.ts';
import { campaignMessagesIn } from '../../../store/campaigns/campaign-messages.ts';
import { type MessageRow, messagesIn, type Owner } from '../../../store/messaging/messages.ts';
import type { StatusUpdate } from '../../../store/messaging/status-updates.ts';
import { rowOf } from '../../support/rows.ts';
import { eachRealStore } from '../../support/stores.ts';

const OWNER: Owner = { tenantId: 't', sessionId: 's', epoch: 2 };
const IDS = ['a', 'b', 'c', 'd'];

eachRealStore('delivery statuses from the network', (kind) => {
  it('have the same result whether they are applied directly or computed in advance', async (t) => {
    const random = seededRandom(7);
    for (let round = 0; round < 25; round += 1) {
      const words = someWords(random);
      const [marked, moved] = await Promise.all([
        after(async (messages) => messages.mark(OWNER, words)),
        after(async (messages) => {
          const moves = await messages.moves(OWNER, words);
          for (const move of moves ?? []) await messages.moved(OWNER, move);
          return moves?.map(({ before }) => before._id);
        }),
      ]);
      assert.deepEqual(moved.rows, marked.rows, JSON.stringify(words));
      assert.deepEqual(moved.pending, []);
    }

    async function after(work: (messages: ReturnType<typeof messagesIn>) => Promise<unknown>) {
      const store = await kind.fresh(t);
      const messages = messagesIn(store);
      await store.prepare();
      const rows = IDS.map((id) => ({ ...rowOf(id, 1), net_id: `n${id}`, epoch: 1 }));
      for (const row of rows) await messages.accept(row);
      await messages.claim({ ...OWNER, epoch: 1 }, rows, 1);
      await work(messages);
      const stored = await Promise.all(IDS.map((id) => messages.find('t', 's', id)));
      return { rows: stored.map(seen), pending: stored.flatMap((row) => (row?.outbox_pending ? [row._id] : [])) };
    }
  });

  it('do not change a message that has a later owner or has changed in the meantime', async (t) => {
    const store = await kind.fresh(t);
    const messages = messagesIn(store);
    await store.prepare();
    const row = { ...rowOf('a', 1), net_id: 'na' };
    await messages.accept(row);
    await messages.claim(OWNER, [row], 1);
    const word = [{ status: 'sent', ids: ['a'], at: 5 }] as const;
    assert.deepEqual(await messages.moves({ ...OWNER, epoch: 1 }, word), []);
    const [move] = (await messages.moves(OWNER, word)) ?? [];
    await messages.moved({ ...OWNER, epoch: 1 }, move!);
    assert.equal((await messages.find('t', 's', 'a'))?.status, 'sending');
    await messages.markFailed(OWNER, 'na', 'refused');
    await messages.moved(OWNER, move!);
    assert.equal((await messages.find('t', 's', 'a'))?.status, 'failed');
  });

  it('do not claim a message that was withdrawn and stored again in the meantime', async (t) => {
    const store = await kind.fresh(t);
    const messages = messagesIn(store);
    await store.prepare();
    const [read, beside] = [
      { ...rowOf('a', 1), net_id: 'na' },
      { ...rowOf('b', 1), net_id: 'nb' },
    ];
    for (const row of [read, beside]) await messages.accept(row);
    await campaignMessagesIn(store).withdraw(['a']);
    await messages.accept({ ...read, session_id: 's2', net_id: 'na2', created_at: 2 });
    const claimed = await messages.claim(OWNER, [read, beside], 3);
    assert.deepEqual(
      claimed.map(({ _id }) => _id),
      ['b'],
    );
    assert.equal((await messages.findAnywhere('t', 'a'))?.status, 'queued');
    // Nor where its own device has claimed it under an epoch that happens to be the same.
    await messages.claim({ ...OWNER, sessionId: 's2' }, [{ ...read, session_id: 's2', net_id: 'na2' }], 3);
    assert.deepEqual(await messages.claim(OWNER, [read], 4), []);
  });

  it('are not precomputed for channel posts, old messages or large batches', async (t) => {
    const store = await kind.fresh(t);
    const messages = messagesIn(store);
    await store.prepare();
    const many = Array.from({ length: 51 }, (_, nth) => `m${nth}`);
    const words: readonly StatusUpdate[] = [
      { status: 'sent', ids: ['a'], at: 1, serverId: '7' },
      { status: 'read', netIds: ['never seen'], at: 1 },
      { status: 'sent', ids: many, at: 1 },
    ];
    for (const word of words) assert.equal(await messages.moves(OWNER, [word]), null);
  });
});

const seen = (row: MessageRow | null) => [row?.status, row?.sent_at, row?.delivered_at, row?.read_at, row?.rev];

function someWords(random: () => number): StatusUpdate[] {
  return Array.from({ length: 1 + Math.floor(random() * 5) }, (): StatusUpdate => {
    const of = IDS.filter(() => random() < 0.5);
    const status = (['sent', 'delivered', 'read'] as const)[Math.floor(random() * 3)] ?? 'sent';
    const at = Math.floor(random() * 100);
    return status === 'sent' ? { status, ids: of, at } : { status, netIds: of.map((id) => `n${id}`), at };
  });
}
