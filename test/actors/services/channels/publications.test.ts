import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createPublicationKeeper } from '../../../../actors/services/channels/publications.ts';
import { keepMemberReceipts } from '../../../../actors/services/messaging/member-receipts.ts';
import { memberReceiptsIn } from '../../../../store/messaging/member-receipts.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { statusViewsIn } from '../../../../store/messaging/status-views.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { embedded } from '../../../support/stores.ts';

const NOW = Date.UTC(2100, 0, 1);
const ANNA = { phone: '6281211110001', lid: null, username: null, name: null };

it("a status view without a time gets the current time, and views of the phone's own statuses are ignored", async (t) => {
  const store = await embedded.fresh(t);
  const [messages, statusViews] = [messagesIn(store), statusViewsIn(store)];
  await messages.accept(aMessageRow({ _id: 'm1', created_at: NOW, net_id: 'n1', chat_id: 'status@broadcast', status: 'sent' }));
  const keeper = createPublicationKeeper({ messages, statusViews, record: async () => {}, now: () => NOW });
  const owner = { tenantId: 't', sessionId: 's', epoch: 1 };
  await keeper.viewed(owner, { type: 'statusViewed', token: 'r1', netIds: ['n1', 'of the phone'], viewer: ANNA, at: 0 });
  const [view] = await statusViews.of('s', 'n1', 10);
  assert.deepEqual([view?.at, (view?.expires_at ?? 0) > NOW], [NOW, true]);
  assert.equal(await statusViews.count('s', 'of the phone', 10), 0);
});

it('a receipt for many messages triggers at most fifty message lookups per event-loop tick', async (t) => {
  const store = await embedded.fresh(t);
  let [inThisTick, most] = [0, 0];
  const messages = {
    ...messagesIn(store),
    async ours() {
      inThisTick += 1;
      most = Math.max(most, inThisTick);
      if (inThisTick === 1) setImmediate(() => (inThisTick = 0));
      return null;
    },
  };
  const owner = { tenantId: 't', sessionId: 's', epoch: 1 };
  const netIds = Array.from({ length: 2_048 }, (_, nth) => `n${nth}`);
  const deps = { messages, statusViews: statusViewsIn(store), record: async () => {}, now: () => NOW };
  await createPublicationKeeper(deps).viewed(owner, { type: 'statusViewed', token: 'r1', netIds, viewer: ANNA, at: 0 });
  const receipts = netIds.map((netId) => ({ netId, chat: 'c@s.whatsapp.net', member: 'm', what: 'read' as const, at: 0 }));
  const people = { formsOf: async () => new Map() };
  await keepMemberReceipts({ messages, memberReceipts: memberReceiptsIn(store), people })(owner, receipts);
  assert.equal(most, 50);
});
