import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lidOf } from '../../../../actors/network/sandbox/addresses.ts';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { aTeam } from '../agents/agents-fixture.ts';
import { inboxOf } from '../conversations/conversations-fixture.ts';
import { textsOn } from '../scheduling/scheduling-fixture.ts';

const LID = lidOf(ANNA);
const HOUR = 3_600_000;

/** A team to whom Anna wrote from her hidden address alone; she may tell her number. */
async function aMaskedCustomer(scope: Scope, kind: StoreKind) {
  const team = await aTeam(scope, kind);
  const { gateway, owner, device } = team;
  await owner('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
  const anna = gateway.sandbox.phone(ANNA);
  const { write, receives } = inboxOf(gateway, owner, device.path);
  anna.set({ lid: true, tellsNumber: false });
  write(ANNA, 'it is me');
  await receives(LID, 'it is me');
  const tells = async () => {
    anna.set({ tellsNumber: true });
    await gateway.until('she is known', async () => (await owner('GET', `${device.path}/chats/${ANNA}`)).status === 200);
  };
  const on = () => textsOn(gateway, ANNA);
  return { ...team, tells, on };
}

const later = (at: number) => ({ chat_id: LID, type: 'text', body: 'Tomorrow', scheduled_at: at });

eachStore('a chat addressed by the hidden address of a known number', (kind) => {
  it('is hidden from other agents, as is any data stored under that address', async (t) => {
    const { gateway, owner, device, dewi, budi, tells } = await aMaskedCustomer(t, kind);
    const { id } = (await owner('POST', `${device.path}/scheduled`, later(gateway.clock.now() + HOUR))).body;
    await owner('POST', `${device.path}/chats/${LID}/assign`, { agent_id: dewi.id });
    await tells();
    const text = { chat_id: LID, type: 'text', body: 'Hi' };
    const hidden = [
      ['GET', `/chats/${LID}`],
      ['PATCH', `/chats/${LID}`, { pinned: true }],
      ['GET', `/chats/${LID}/messages`],
      ['POST', `/chats/${LID}/assign`, { agent_id: budi.id }],
      ['POST', `/chats/${LID}/presence`, { state: 'composing' }],
      ['POST', '/messages', text],
      ['POST', '/scheduled', later(gateway.clock.now() + HOUR)],
      ['GET', `/scheduled/${id}`],
      ['DELETE', `/scheduled/${id}`],
    ] as const;
    for (const [method, path, body] of hidden)
      assert.equal((await budi.api(method, `${device.path}${path}`, body)).status, 404, `${method} ${path}`);
    assert.deepEqual((await budi.api('GET', `${device.path}/scheduled`)).body.scheduled, []);
    assert.equal((await dewi.api('GET', `${device.path}/scheduled`)).body.scheduled.length, 1);
    const received = async ({ api }: typeof budi) =>
      (await api('GET', '/v1/events/pull?limit=200')).body.events.filter(({ type }: { type: string }) => type === 'message.received')
        .length;
    assert.deepEqual([await received(budi), await received(dewi)], [0, 1]);
    assert.equal((await dewi.api('POST', `${device.path}/messages`, text)).status, 202);
  });

  it('gets a recurring message once, even if both addresses are among the targets', async (t) => {
    const { gateway, owner, device, tells, on } = await aMaskedCustomer(t, kind);
    const recurring = { name: 'Offer', targets: [LID, ANNA], message: 'Today only', schedule_type: 'daily', is_active: false };
    const { id } = (await owner('POST', `${device.path}/recurring`, recurring)).body;
    await tells();
    await owner('POST', `${device.path}/recurring/${id}/run`);
    await gateway.until('it arrives', () => on().length > 0);
    await gateway.clock.advance(60_000);
    assert.deepEqual(on(), ['Today only']);
    const { messages } = (await owner('GET', `${device.path}/messages?chat_id=${ANNA}&direction=outbound`)).body;
    assert.equal(messages.length, 1);
  });

  it('gets the messages that were scheduled for that address', async (t) => {
    const { gateway, owner, device, tells } = await aMaskedCustomer(t, kind);
    await owner('POST', `${device.path}/scheduled`, later(gateway.clock.now() + 60_000));
    await tells();
    await gateway.clock.advance(90_000);
    const sent = async () => (await owner('GET', `${device.path}/messages?chat_id=${ANNA}&direction=outbound`)).body.messages;
    await gateway.until('it left', async () => (await sent())[0]?.status === 'read');
    assert.equal((await owner('GET', '/v1/inbox')).body.chats.length, 1);
  });

  it('uses the same device of a rotator under either address', async (t) => {
    const { owner, tenant, device, tells } = await aMaskedCustomer(t, kind);
    const other = await tenant.linked('6281100000002');
    await tells();
    const { id } = (await owner('POST', '/v1/rotators', { name: 'Counters', session_ids: [device.id, other.id] })).body;
    const send = async (chat_id: string) =>
      (await owner('POST', `/v1/rotators/${id}/messages`, { chat_id, type: 'text', body: 'Hi' })).body.session_id;
    assert.deepEqual([await send(ANNA), await send(LID), await send(ANNA)], [device.id, device.id, device.id]);
  });
});
