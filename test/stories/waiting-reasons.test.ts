import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { devicesIn } from '../../store/devices/devices.ts';
import { ANNA, aGateway, type Device, type Gateway, PHONE, type Tenant } from '../support/gateway.ts';
import { embedded } from '../support/stores.ts';

const MINUTE = 60_000;
const STRANGER = '6281233330001';

interface Shop {
  readonly gateway: Gateway;
  readonly acme: Tenant;
  readonly device: Device;
  /** Why this message waits, where it is shown alone and in the queue. */
  why(id: string): Promise<{ readonly reason: string; readonly until: number | null } | undefined>;
}

/** A shop to which Anna wrote before. */
async function aShop(t: Parameters<typeof aGateway>[0], settings: object): Promise<Shop> {
  const gateway = await aGateway(t, { kind: embedded });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  assert.equal((await acme.api('PUT', '/v1/settings', { send_window: { enabled: false }, ...settings })).status, 200);
  gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'Hello?' } });
  await gateway.until('she wrote', async () => (await acme.api('GET', `${device.path}/chats`)).body.chats.length === 1);
  return {
    gateway,
    acme,
    device,
    async why(id) {
      const { queue } = (await acme.api('GET', `${device.path}/queue`)).body;
      const { waiting } = await device.message(id);
      assert.deepEqual(queue.find((one: { id: string }) => one.id === id)?.waiting, waiting);
      return waiting;
    },
  };
}

const PACED = { pacing: { min_delay_ms: 10 * MINUTE, max_delay_ms: 10 * MINUTE, typing: false } };
const AT_ONCE = { pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false } };

async function aCampaign({ acme, device }: Shop, numbers: readonly string[]): Promise<void> {
  const { id } = (
    await acme.api('POST', '/v1/blasts', {
      name: 'Sale',
      session_id: device.id,
      message_type: 'text',
      body: 'Hello',
      recipients: numbers.map((phone) => ({ phone })),
    })
  ).body;
  assert.equal((await acme.api('POST', `/v1/blasts/${id}/start`, {})).status, 200);
}

const waitsIn = async ({ acme, device }: Shop, lane: string): Promise<{ readonly id: string } | undefined> =>
  (await acme.api('GET', `${device.path}/queue`)).body.queue.find((one: { lane: string }) => one.lane === lane);

describe('the waiting reason for a queued message', () => {
  it('says whether the device is unlinked or disconnected', async (t) => {
    const { gateway, acme, device, why } = await aShop(t, AT_ONCE);
    assert.equal((await acme.api('POST', `${device.path}/disconnect`)).status, 202);
    const id = await device.text(ANNA, 'Hello', { connect_only: false });
    assert.deepEqual(await why(id), { reason: 'offline', until: null });
    await gateway.operator('PATCH', `/v1/admin/tenants/${acme.id}`, { plan: 'starter' });
    const fresh = (await acme.api('POST', '/v1/sessions', {})).body.id;
    const path = `/v1/sessions/${fresh}`;
    const sent = await acme.api('POST', `${path}/messages`, { chat_id: ANNA, type: 'text', body: 'Hi', connect_only: false });
    assert.deepEqual((await acme.api('GET', `${path}/messages/${sent.body.id}`)).body.waiting, { reason: 'login', until: null });
    await devicesIn(gateway.store).pause(acme.id, fresh, { wanted: true });
    assert.equal((await acme.api('GET', `${path}/messages/${sent.body.id}`)).body.waiting.reason, 'suspended');
    assert.deepEqual(await why(id), { reason: 'offline', until: null });
    await acme.api('POST', `${device.path}/connect`);
    await gateway.until('it left', async () => (await device.message(id)).status === 'read');
    assert.equal((await device.message(id)).waiting, undefined);
  });

  it('says when the next login will be attempted after one was refused', async (t) => {
    const { gateway, device, why } = await aShop(t, AT_ONCE);
    gateway.sandbox.device(PHONE).fault({ kind: 'outdated', forMs: 90 * MINUTE });
    await gateway.until('it is offline', async () => (await device.status()) === 'disconnected');
    const id = await device.text(ANNA, 'Hello', { connect_only: false });
    const waiting = await why(id);
    assert.equal(waiting?.reason, 'offline');
    assert.ok((waiting?.until ?? 0) > gateway.clock.now() + 50 * MINUTE, `${waiting?.until}`);
  });

  it('states the backoff that the network requested', async (t) => {
    const { gateway, device, why } = await aShop(t, AT_ONCE);
    gateway.sandbox.device(PHONE).fault({ kind: 'ack', code: 429, times: 1, backoffMs: 20 * MINUTE });
    const refused = await device.text(ANNA, 'one');
    await gateway.until('it was refused', async () => (await device.message(refused)).waiting);
    const other = await device.text(ANNA, 'two');
    const [first, second] = [await why(refused), await why(other)];
    assert.deepEqual([first?.reason, second?.reason], ['backoff', 'backoff']);
    assert.ok((second?.until ?? 0) > gateway.clock.now() + 15 * MINUTE);
  });

  it('names the pace, a first contact, or a restriction on first contacts', async (t) => {
    const { gateway, device, why } = await aShop(t, PACED);
    await device.text(ANNA, 'one');
    await gateway.clock.advance(MINUTE);
    const next = await device.text(ANNA, 'two');
    const stranger = await device.text(STRANGER, 'Hello');
    await gateway.clock.advance(MINUTE);
    assert.deepEqual(await why(next), { reason: 'pace', until: null });
    await gateway.clock.advance(10 * MINUTE);
    await gateway.until('it is a first contact', async () => (await why(stranger))?.reason === 'first_contact');
    const end = gateway.clock.now() + 60 * MINUTE;
    gateway.sandbox.device(PHONE).fault({ kind: 'reach_out_limit', forMs: 60 * MINUTE });
    await gateway.until('it is limited', async () => (await why(stranger))?.reason === 'restricted');
    assert.ok(Math.abs(((await why(stranger))?.until ?? 0) - end) <= MINUTE);
    await gateway.clock.advance(30 * MINUTE);
    assert.equal(gateway.sandbox.phone(STRANGER).messages().length, 0);
    await gateway.clock.advance(120 * MINUTE);
    assert.equal(gateway.sandbox.phone(STRANGER).messages().length, 1);
  });

  it('states the warm-up limit of a new device', async (t) => {
    const shop = await aShop(t, { ...AT_ONCE, warmup: { enabled: true, days: 7 } });
    const { gateway, acme, why } = shop;
    await gateway.operator('PATCH', `/v1/admin/tenants/${acme.id}`, { plan: 'starter' });
    await aCampaign(
      shop,
      Array.from({ length: 60 }, (_, nth) => `62812222${String(nth).padStart(5, '0')}`),
    );
    const waits = await gateway.until('the day is spent', async () => {
      const one = await waitsIn(shop, 'blast');
      return one && (await why(one.id))?.reason === 'warm_up' && one;
    });
    const until = (await why(waits.id))?.until ?? 0;
    assert.ok(until > gateway.clock.now() && until <= gateway.clock.now() + 24 * 60 * MINUTE);
  });

  it('says that replies are sent before the campaign', async (t) => {
    const shop = await aShop(t, PACED);
    const { gateway, device, why } = shop;
    await device.text(ANNA, 'one');
    await gateway.clock.advance(MINUTE);
    const others = ['6281222200001', '6281222200002'];
    for (const phone of others) gateway.sandbox.phone(phone).write({ to: PHONE, content: { type: 'text', body: 'Hello?' } });
    await gateway.clock.advance(MINUTE);
    await aCampaign(shop, others);
    await device.text(ANNA, 'two');
    await gateway.until('it waits behind the reply', async () => {
      const one = await waitsIn(shop, 'blast');
      return one && (await why(one.id))?.reason === 'campaign_behind_replies';
    });
  });
});
