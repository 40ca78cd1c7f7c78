import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ConnectionEvent, Network } from '../../../../actors/network/port.ts';
import { outboundRow } from '../../../../actors/services/messaging/sending.ts';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { LANES, messagesIn } from '../../../../store/messaging/messages.ts';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { textsOn } from './scheduling-fixture.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const customer = (nth: number): string => `62812111200${String(nth).padStart(2, '0')}`;

/** A network whose lines can be made to say something that no phone of the sandbox says. */
function eavesdropped(network: Network): { network: Network; say(event: ConnectionEvent): void } {
  let receives: ((event: ConnectionEvent) => void)[] = [];
  const open: Network['open'] = (order, receive) => {
    receives = [...receives, receive];
    return network.open(order, receive);
  };
  return { network: { name: network.name, open, shutdown: () => network.shutdown() }, say: (event) => receives.at(-1)?.(event) };
}

/** A device with a fixed pause between messages, known to some customers, who wrote before. */
async function aPacedFixture(scope: Scope, kind: StoreKind, pauseMs: number, known: readonly string[], more: object = {}) {
  const received = { say(_event: ConnectionEvent): void {} };
  const gateway = await aGateway(scope, {
    kind,
    network: (sandbox) => {
      const { network, say } = eavesdropped(sandbox.network());
      received.say = say;
      return network;
    },
  });
  const acme = await gateway.signUp();
  const pacing = { min_delay_ms: pauseMs, max_delay_ms: pauseMs, typing: false };
  await acme.api('PUT', '/v1/settings', { pacing, ...more });
  const device = await acme.linked(PHONE);
  for (const phone of known) gateway.sandbox.phone(phone).write({ to: PHONE, content: { type: 'text', body: 'Hello?' } });
  await gateway.until('all were received', async () => (await acme.api('GET', `${device.path}/chats`)).body.chats.length === known.length);
  const recurring = (targets: readonly string[]) =>
    acme.api('POST', `${device.path}/recurring`, { name: 'r', targets, message: 'planned', schedule_type: 'daily', is_active: false });
  /** Sends in the lane of what is planned. */
  const plan = async (targets: readonly string[]): Promise<void> => {
    const { id } = (await recurring(targets)).body;
    await acme.api('POST', `${device.path}/recurring/${id}/run`);
  };
  const on = (phone: string): number => textsOn(gateway, phone).length;
  return { gateway, acme, api: acme.api, device, plan, on, say: (event: ConnectionEvent) => received.say(event) };
}

eachStore("a device's pace", (kind) => {
  it('spaces out planned messages, but not replies', async (t) => {
    const [one, two, three] = [customer(1), customer(2), customer(3)];
    const { gateway, device, plan, on } = await aPacedFixture(t, kind, 20 * SECOND, [ANNA, one, two, three]);
    await plan([one, two, three]);
    await gateway.until('the first arrived', () => on(one) + on(two) + on(three) === 1);
    await gateway.clock.advance(10 * SECOND);
    assert.equal(on(one) + on(two) + on(three), 1);
    await device.text(ANNA, 'A reply');
    await gateway.clock.advance(SECOND);
    assert.equal(on(ANNA), 1);
    await gateway.clock.advance(60 * SECOND);
    assert.equal(on(one) + on(two) + on(three), 3);
  });

  it('is fair between chats, even if one of them has hundreds of queued messages', async (t) => {
    const { gateway, device, api, on } = await aPacedFixture(t, kind, SECOND, [ANNA, customer(1)]);
    await api('PUT', '/v1/settings', { pacing: { min_delay_ms: SECOND, max_delay_ms: SECOND } });
    for (let part = 0; part < 3; part += 1) {
      const messages = Array.from({ length: 100 }, (_, nth) => ({ chat_id: ANNA, type: 'text', body: `${part}/${nth}` }));
      await api('POST', `${device.path}/messages/bulk`, { messages });
    }
    await device.text(customer(1), 'Only one');
    await gateway.clock.advance(4 * SECOND);
    assert.equal(on(customer(1)), 1);
    assert.ok(on(ANNA) >= 3 && on(ANNA) < 10, `${on(ANNA)} to the other`);
  });

  it('is slower for first contacts, without delaying other messages', async (t) => {
    const strangers = [customer(11), customer(12), customer(13)];
    const { gateway, device, on } = await aPacedFixture(t, kind, 2 * SECOND, [ANNA]);
    const count = () => strangers.reduce((sum, phone) => sum + on(phone), 0);
    for (const phone of strangers) await device.text(phone, 'We have not met');
    await gateway.until('the first arrived', () => count() === 1);
    await device.text(ANNA, 'A reply');
    await gateway.clock.advance(3 * SECOND);
    assert.deepEqual([on(ANNA), count()], [1, 1]);
    await gateway.clock.advance(8 * SECOND);
    assert.equal(count(), 2);
    await gateway.clock.advance(12 * SECOND);
    assert.equal(count(), 3);
  });

  it('does not stall, even if more than a thousand messages to first contacts are queued', async (t) => {
    const { gateway, acme, api, device, on } = await aPacedFixture(t, kind, SECOND, [ANNA]);
    await gateway.during(api('POST', `${device.path}/disconnect`));
    const row = (await devicesIn(gateway.store).find(acme.id, device.id))!;
    const waits = (chat: string) => {
      const content = { message_type: 'text', body: 'Hello', parts: {}, quotes: null, lane: LANES.reply, priority: 0 } as const;
      const paid = { status: 'queued', month: '2026-01' } as const;
      return messagesIn(gateway.store).accept(outboundRow(row, { chat: `${chat}@s.whatsapp.net`, ...content }, gateway.clock.now(), paid));
    };
    for (let nth = 0; nth < 1_100; nth += 100)
      await Promise.all(Array.from({ length: 100 }, (_, one) => waits(`62812${30_000_000 + nth + one}`)));
    await gateway.clock.advance(1);
    await waits(ANNA);
    await api('POST', `${device.path}/connect`);
    await gateway.until('it is connected', async () => (await device.status()) === 'connected');
    await gateway.clock.advance(10 * SECOND);
    assert.equal(on(ANNA), 1);
  });

  it('stops only messages to first contacts while the network restricts new chats', async (t) => {
    const { gateway, api, device, on, say } = await aPacedFixture(t, kind, 0, [ANNA]);
    const until = gateway.clock.now() + HOUR;
    say({ type: 'restricted', token: 'r1', until, reason: 'new_chats', newChatsUsed: 5, newChatsQuota: 5 });
    await gateway.until('it is shown', async () => (await api('GET', device.path)).body.restriction?.until === until);
    await device.text(customer(21), 'We have not met');
    await device.text(ANNA, 'A reply');
    await gateway.clock.advance(10 * SECOND);
    assert.deepEqual([on(ANNA), on(customer(21))], [1, 0]);
    say({ type: 'lifted', token: 'r2' });
    await gateway.until('it leaves', () => on(customer(21)) === 1);
    assert.equal((await api('GET', `${device.path}/health`)).body.restriction, null);
    say({
      type: 'restricted',
      token: 'r3',
      until: gateway.clock.now() + 60 * SECOND,
      reason: 'new_chats',
      newChatsUsed: 5,
      newChatsQuota: 5,
    });
    await gateway.clock.advance(SECOND);
    await device.text(customer(22), 'Nor have we');
    await gateway.clock.advance(30 * SECOND);
    assert.equal(on(customer(22)), 0);
    await gateway.clock.advance(31 * SECOND);
    assert.equal(on(customer(22)), 1);
  });

  it('includes a typing indicator before each text if that is enabled', async (t) => {
    const { gateway, api, device, on } = await aPacedFixture(t, kind, 0, [ANNA]);
    await api('PUT', '/v1/settings', { pacing: { typing: true } });
    await gateway.clock.advance(SECOND);
    await device.text(ANNA, 'x'.repeat(100));
    await gateway.clock.advance(SECOND);
    assert.equal(on(ANNA), 0);
    assert.equal(gateway.sandbox.phone(ANNA).presences().at(-1)?.state, 'composing');
    await gateway.clock.advance(3 * SECOND);
    assert.equal(on(ANNA), 1);
  });

  it("limits a new device's messages per day, but not its replies", async (t) => {
    const warmup = { warmup: { enabled: true, days: 7 } };
    const { gateway, api, device, plan, on } = await aPacedFixture(t, kind, 0, [ANNA], warmup);
    const shown = (await api('GET', device.path)).body;
    assert.ok(shown.warmup_until_ms > gateway.clock.now() + 6 * DAY && shown.warmup_until_ms <= gateway.clock.now() + 7 * DAY);
    const today = async () => (await api('GET', `${device.path}/health`)).body.today;
    assert.deepEqual([(await today()).limit, (await today()).remaining], [50, 50]);
    const targets = Array.from({ length: 60 }, (_, nth) => customer(nth + 30));
    const sent = () => targets.reduce((sum, phone) => sum + on(phone), 0);
    await plan(targets);
    await gateway.clock.advance(60 * SECOND);
    assert.deepEqual([sent(), (await today()).remaining], [50, 0]);
    await device.text(ANNA, 'A reply');
    await gateway.clock.advance(SECOND);
    assert.equal(on(ANNA), 1);
    gateway.clock.jump((await today()).resets_at - gateway.clock.now());
    const nextDay = await gateway.crash();
    await nextDay.until('the rest arrived', () => sent() === 60);
  });

  it('can be changed immediately while the device is running', async (t) => {
    const { gateway, api, device, on } = await aPacedFixture(t, kind, 500 * SECOND, [ANNA]);
    await device.text(ANNA, 'first');
    await device.text(ANNA, 'second');
    await gateway.clock.advance(60 * SECOND);
    assert.equal(on(ANNA), 1);
    await api('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
    await gateway.until('it leaves', () => on(ANNA) === 2);
  });
});
