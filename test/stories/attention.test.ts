import assert from 'node:assert/strict';
import { it } from 'node:test';
import { chatsIn } from '../../store/conversations/chats.ts';
import { aTeam } from '../actors/services/agents/agents-fixture.ts';
import { inboxOf } from '../actors/services/conversations/conversations-fixture.ts';
import { ANNA } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const STRANGER = '6281233330001';
const DAY = 86_400_000;
const AT_ONCE = { send_window: { enabled: false }, pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false } };

interface Item {
  readonly kind: string;
  readonly count: number;
  readonly oldest_at: number | null;
  readonly ref: { readonly kind: string; readonly id: string } | null;
}

eachStore('the attention list', (kind) => {
  it('shows all items to the owner, but shows agents and keys only their own items', async (t) => {
    const { gateway, owner, tenant, dewi, budi, device } = await aTeam(t, kind);
    const { write, receives } = inboxOf(gateway, owner, device.path);
    await owner('PUT', '/v1/settings', AT_ONCE);
    const items = async (api = owner): Promise<readonly Item[]> => (await api('GET', '/v1/attention')).body.items;
    assert.deepEqual(
      (await items()).map(({ kind: of, ref }) => [of, ref]),
      [['setup', null]],
    );
    write(ANNA, 'Anybody?');
    const { last_message_at, chat_id } = await receives(ANNA, 'Anybody?');
    gateway.sandbox.phone(STRANGER).set({ onNetwork: false });
    const id = await device.text(STRANGER, 'Hello?');
    await gateway.until('it failed', async () => (await device.message(id)).status === 'failed');
    const of = (all: readonly Item[], wanted: string) => all.filter((item) => item.kind === wanted);
    const all = await items();
    assert.deepEqual(of(all, 'waiting_chats'), [{ kind: 'waiting_chats', count: 1, oldest_at: last_message_at, ref: null }]);
    const [failed] = of(all, 'failed_messages');
    assert.deepEqual([failed?.count, failed?.ref], [1, { kind: 'session', id: device.id }]);
    await owner('POST', `${device.path}/chats/${ANNA}/assign`, { agent_id: dewi.id });
    assert.deepEqual(
      [(await items(dewi.api)).map((item) => item.kind).includes('waiting_chats'), of(await items(budi.api), 'waiting_chats')],
      [true, []],
    );
    assert.deepEqual(of(await items(budi.api), 'setup'), []);
    const other = (await owner('POST', '/v1/sessions', { name: 'Other' })).body;
    const key = (await owner('POST', '/v1/api-keys', { name: 'one device', session_ids: [other.id] })).body.key;
    assert.deepEqual(await items(gateway.as(key)), []);
    // Set aside for long, and the customer still waits.
    await owner('PATCH', `${device.path}/chats/${ANNA}`, { snoozed_until: gateway.clock.now() + 300 * DAY });
    assert.deepEqual(of(await items(), 'waiting_chats'), []);
    await chatsIn(gateway.store).change(tenant.id, device.id, chat_id, ({ snoozed_at = 0 }) => ({ snoozed_at: snoozed_at - 8 * DAY }));
    assert.equal(of(await items(), 'waiting_chats')[0]?.count, 1);
    await owner('PATCH', `${device.path}/chats/${ANNA}`, { status: 'open' });
    await device.text(ANNA, 'Yes, we are here');
    await receives(ANNA, 'Yes, we are here');
    assert.deepEqual(of(await items(), 'waiting_chats'), []);
  });
});
