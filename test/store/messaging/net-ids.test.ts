import assert from 'node:assert/strict';
import { it } from 'node:test';
import { safeText } from '../../../runtime/safe-text.ts';
import { type MessageRow, messagesIn, type Owner } from '../../../store/messaging/messages.ts';
import { receivedActionsIn } from '../../../store/messaging/received-actions.ts';
import { aMessageRow } from '../../support/message-row.ts';
import { eachStore, type StoreKind } from '../../support/stores.ts';

const OWNER: Owner = { tenantId: 't', sessionId: 's', epoch: 1 };
const ANNA = '6281211110001@s.whatsapp.net';
const EVE = '6281211110009@s.whatsapp.net';
const HIDDEN = '118000000000009@lid';
const GROUP = '120363000000000001@g.us';

const inbound = (
  _id: string,
  sender: string,
  more: Partial<Omit<MessageRow, '_id' | 'body' | 'created_at'>> & { readonly created_at?: number } = {},
): MessageRow =>
  aMessageRow({ _id, created_at: 1, direction: 'inbound', chat_id: sender, sender, status: 'delivered', net_id: 'X', body: _id, ...more });

async function aLog(kind: StoreKind, t: Parameters<StoreKind['fresh']>[0]) {
  const store = await kind.fresh(t);
  const [messages, actions] = [messagesIn(store), receivedActionsIn(store)];
  await store.prepare();
  const bodies = async (name: Parameters<typeof messages.namesakes>[1]) =>
    (await messages.namesakes('s', name)).map(({ _id }) => _id).toSorted();
  return { messages, actions, bodies };
}

const edit = (by: readonly string[], chats: readonly string[], more: object = {}) => ({
  ...({ _id: `edit ${by} ${chats}`, session_id: 's', net_id: 'E', target: 'X', kind: 'edited', body: safeText('edited') } as const),
  ...{ by, chats, at: 1_000, expires_at: 2_000, ...more },
});

eachStore('messages that share a network id', (kind) => {
  it('are stored once for each combination of chat and author', async (t) => {
    const { messages, bodies } = await aLog(kind, t);
    await messages.accept(aMessageRow({ _id: 'ours', created_at: 1, chat_id: ANNA, net_id: 'X', status: 'sent' }));
    for (const _time of [1, 2]) {
      await messages.receive(inbound('eve', EVE));
      await messages.receive(inbound('anna', ANNA));
      await messages.receive(inbound('eve in the group', EVE, { chat_id: GROUP }));
      await messages.receive(inbound('anna in the group', ANNA, { chat_id: GROUP }));
    }
    const all = ['anna', 'anna in the group', 'eve', 'eve in the group', 'ours'];
    assert.deepEqual(await bodies({ netId: 'X' }), all);
    assert.deepEqual(await bodies({ netId: 'X', chats: [GROUP], by: [ANNA] }), ['anna in the group']);
    assert.deepEqual(await bodies({ netId: 'X', by: null }), ['ours']);
    assert.equal((await messages.ours('s', 'X'))?._id, 'ours');
    const page = { limit: 50, before: null, beforeId: null };
    const listed = await Array.fromAsync(messages.list('t', 's', { net_id: 'X' }, page));
    assert.deepEqual(listed.map(({ _id }) => _id).toSorted(), all);
  });

  it('are stored only once if they arrive under different addresses of their author', async (t) => {
    const { messages, bodies } = await aLog(kind, t);
    assert.equal(await messages.receive(inbound('first', HIDDEN)), true);
    const again = inbound('again', EVE);
    assert.equal(await messages.receive(again, { chats: [HIDDEN, EVE], by: [HIDDEN, EVE] }), false);
    await messages.receive(inbound('in the group', HIDDEN, { chat_id: GROUP, history: true }));
    const promoted = inbound('anew', EVE, { chat_id: GROUP });
    assert.equal(await messages.receive(promoted, { chats: [GROUP], by: [EVE, HIDDEN] }), true);
    assert.deepEqual(await bodies({ netId: 'X' }), ['first', 'in the group']);
    assert.equal((await messages.find('t', 's', 'in the group'))?.history, false);
  });

  it('can be edited only by their author, and only in their own chat', async (t) => {
    const { messages, actions } = await aLog(kind, t);
    await messages.accept(
      aMessageRow({ _id: 'ours', created_at: 1, chat_id: ANNA, net_id: 'X', status: 'sent', sent_at: 1, body: 'ours' }),
    );
    await messages.receive(inbound('anna', ANNA));
    assert.equal(await actions.apply(OWNER, edit([EVE], [EVE])), false, 'the message is still to come');
    await messages.receive(inbound('eve', EVE));
    assert.equal(await actions.apply(OWNER, edit([EVE], [EVE])), true);
    assert.equal(await actions.apply(OWNER, edit([EVE], [ANNA])), false);
    assert.equal(await actions.apply(OWNER, { ...edit([EVE], [GROUP]), kind: 'deleted', moderates: true }), false);
    const now = await Promise.all(['ours', 'anna', 'eve'].map((id) => messages.find('t', 's', id)));
    assert.deepEqual(
      now.map((row) => [row?.body, row?.status]),
      [
        ['ours', 'sent'],
        ['anna', 'delivered'],
        ['edited', 'delivered'],
      ],
    );
  });

  it('are marked as delivered and read only by receipts from their own chat', async (t) => {
    const { messages } = await aLog(kind, t);
    await messages.accept(aMessageRow({ _id: 'ours', created_at: 1, chat_id: ANNA, net_id: 'X', status: 'sent', sent_at: 1 }));
    await messages.receive(inbound('eve', EVE));
    const status = async (id = 'ours') => (await messages.find('t', 's', id))?.status;
    const receipt = (chat: string) => ({ status: 'read', netIds: ['X'], at: 5, chats: [[chat]] }) as const;
    await messages.mark(OWNER, [receipt(EVE), receipt(GROUP)]);
    assert.deepEqual([await status(), await status('eve')], ['sent', 'delivered']);
    await messages.mark(OWNER, [receipt(ANNA)]);
    assert.deepEqual([await status(), await status('eve')], ['read', 'delivered']);
  });

  it('can be edited for 20 minutes of network time, or for longer if they are polls', async (t) => {
    const { messages, actions } = await aLog(kind, t);
    const at = 10_000_000;
    const rows = {
      early: {},
      late: { told_at: at - 1 },
      poll: { message_type: 'poll' },
      ours: { direction: 'outbound', sent_at: at - 1 },
    } as const;
    for (const [_id, more] of Object.entries(rows))
      await messages.receive(inbound(_id, ANNA, { net_id: _id, created_at: _id === 'poll' ? 1 : at + 1, ...more }));
    const bodies: unknown[] = [];
    for (const target of Object.keys(rows)) {
      const by = target === 'ours' ? null : [ANNA];
      assert.equal(await actions.apply(OWNER, edit([ANNA], [ANNA], { target, by, since: at })), true);
      bodies.push((await messages.find('t', 's', target))?.body);
    }
    assert.deepEqual(bodies, ['edited', 'late', 'edited', 'ours']);
  });
});
