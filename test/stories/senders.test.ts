import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aTeam } from '../actors/services/agents/agents-fixture.ts';
import { inboxOf } from '../actors/services/conversations/conversations-fixture.ts';
import { ANNA, PHONE } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const STRANGER = '6281233330001';
const AT_ONCE = { send_window: { enabled: false }, pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false } };

interface Entry {
  readonly body: string;
  readonly status: string;
  readonly error?: string | null;
  readonly reason?: string;
  readonly waiting?: { readonly reason: string };
  readonly sent_by?: { readonly kind: string; readonly id: string | null; readonly name: string | null };
}

eachStore('an outgoing message', (kind) => {
  it('shows who sent it, in lists and when it is read individually', async (t) => {
    const { gateway, owner, tenant, dewi, device } = await aTeam(t, kind);
    const { write, receives } = inboxOf(gateway, owner, device.path);
    await owner('PUT', '/v1/settings', AT_ONCE);
    gateway.sandbox.phone(ANNA).set({ name: 'Anna' });
    write(ANNA, 'Hello');
    await receives(ANNA, 'Hello');
    const key = (await owner('POST', '/v1/api-keys', { name: 'Cash desk' })).body;
    const path = `${device.path}/messages`;
    const text = (body: string) => ({ chat_id: ANNA, type: 'text', body });
    assert.equal((await owner('POST', path, text('by the owner'))).status, 202);
    assert.equal((await dewi.api('POST', path, text('by an agent'))).status, 202);
    assert.equal((await gateway.as(key.key)('POST', path, text('by a program'))).status, 202);
    const rule = { name: 'Price', trigger_type: 'keyword', trigger_text: 'price', reply_type: 'text', reply_body: 'by a rule' };
    assert.equal((await owner('POST', `${device.path}/auto-reply`, rule)).status, 201);
    write(ANNA, 'price');
    const later = await owner('POST', `${device.path}/scheduled`, { ...text('by the clock'), scheduled_at: gateway.clock.now() + 60_000 });
    assert.equal(later.status, 201);
    const blast = { name: 'Sale', session_id: device.id, message_type: 'text', body: 'by a campaign', recipients: [{ phone: ANNA }] };
    const { id: blastId } = (await owner('POST', '/v1/blasts', blast)).body;
    assert.equal((await owner('POST', `/v1/blasts/${blastId}/start`, {})).status, 200);
    gateway.sandbox.phone(PHONE).write({ to: ANNA, content: { type: 'text', body: 'by hand' } });
    const list = async (): Promise<readonly Entry[]> => (await owner('GET', `${device.path}/chats/${ANNA}/messages`)).body.messages;
    await gateway.until('all are there', async () => (await list()).filter(({ body }) => body.startsWith('by ')).length === 7);
    const senders = new Map((await list()).map(({ body, sent_by }) => [body, sent_by]));
    assert.deepEqual(Object.fromEntries(senders), {
      Hello: { kind: 'person', id: `${ANNA}@s.whatsapp.net`, name: 'Anna' },
      price: { kind: 'person', id: `${ANNA}@s.whatsapp.net`, name: 'Anna' },
      'by the owner': { kind: 'owner', id: tenant.id, name: 'Acme' },
      'by an agent': { kind: 'agent', id: dewi.id, name: 'Dewi' },
      'by a program': { kind: 'api_key', id: key.id, name: 'Cash desk' },
      'by a rule': { kind: 'auto_reply', id: null, name: null },
      'by the clock': { kind: 'scheduled', id: later.body.id, name: null },
      'by a campaign': { kind: 'campaign', id: blastId, name: 'Sale' },
      'by hand': { kind: 'phone', id: null, name: null },
    });
    const { messages } = (await owner('GET', `${path}?limit=50`)).body;
    for (const one of messages) {
      assert.deepEqual(one.sent_by, senders.get(one.body));
      assert.deepEqual((await owner('GET', `${path}/${one.id}`)).body.sent_by, one.sent_by);
    }
  });

  it("explains in the reader's language why it failed or is waiting", async (t) => {
    const { gateway, owner, device } = await aTeam(t, kind);
    await owner('PUT', '/v1/settings', AT_ONCE);
    gateway.sandbox.phone(STRANGER).set({ onNetwork: false });
    const id = await device.text(STRANGER, 'Anybody?');
    await gateway.until('it failed', async () => (await device.message(id)).status === 'failed');
    const begun = await owner('GET', `${device.path}/chats/${STRANGER}`);
    assert.deepEqual([begun.status, begun.body.last_message], [200, 'Anybody?']);
    const read = async (lang: string): Promise<readonly Entry[]> =>
      (await owner('GET', `${device.path}/messages?chat_id=${STRANGER}`, undefined, { 'x-lang': lang })).body.messages;
    const [[english], [indonesian]] = [await read('en'), await read('id')];
    assert.deepEqual([english?.error, english?.reason], ['not_on_network', 'This number is not on the network.']);
    assert.deepEqual([indonesian?.error, indonesian?.reason], ['not_on_network', 'Nomor ini tidak ada di jaringan.']);
    await owner('POST', `${device.path}/disconnect`);
    const queued = await owner('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'text', body: 'Later', connect_only: false });
    assert.equal(queued.status, 202);
    const [waiting]: readonly Entry[] = (await owner('GET', `${device.path}/messages?chat_id=${ANNA}`)).body.messages;
    assert.deepEqual([waiting?.status, waiting?.waiting?.reason, waiting?.reason], ['queued', 'offline', undefined]);
  });
});
