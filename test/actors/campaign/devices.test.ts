import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../actors/domain/plans.ts';
import type { ConnectionEvent, Network } from '../../../actors/network/port.ts';
import { aGateway, type Gateway, PHONE } from '../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../support/stores.ts';
import { listen } from '../services/live/listener.ts';
import { aCampaign, aCampaignFixture, type Fixture, phones, reachedOf, textsOn } from './campaign-fixture.ts';

const OTHER = '6281100000002';
const HOUR = 3_600_000;
/** Takes a while to write. */
const LONG = 'a'.repeat(200);

/** A network that can limit a device's first contacts, and lift that. */
class Limiting {
  readonly #receives = new Map<string, (event: ConnectionEvent) => void>();

  over(network: Network): Network {
    return {
      name: network.name,
      shutdown: () => network.shutdown(),
      open: (order, receive) => {
        this.#receives.set(order.deviceId, receive);
        return network.open(order, receive);
      },
    };
  }

  restrict(deviceId: string, until: number): void {
    const limits = { until, reason: 'reachout_timelock', newChatsUsed: null, newChatsQuota: null };
    this.#receives.get(deviceId)?.({ type: 'restricted', token: `restricted ${until}`, ...limits });
  }

  lift(deviceId: string): void {
    this.#receives.get(deviceId)?.({ type: 'lifted', token: 'lifted' });
  }
}

async function aWebhookFixture(t: Scope, kind: StoreKind) {
  const network = new Limiting();
  const gateway = await aGateway(t, { kind, network: (sandbox) => network.over(sandbox.network()) });
  return { network, gateway, fixture: await aCampaignFixture(gateway) };
}

/** A second device, and a rotator of both. */
async function twoDevices(gateway: Gateway, { api, device }: Fixture) {
  const { id } = (await api('POST', '/v1/sessions', {})).body;
  await api('POST', `/v1/sessions/${id}/connect`);
  const qr = await gateway.until('a code', async () => (await api('GET', `/v1/sessions/${id}/qr`)).body.qr);
  gateway.sandbox.phone(OTHER).scan({ qr });
  await gateway.until('it is online', async () => (await api('GET', `/v1/sessions/${id}`)).body.status === 'connected');
  const rotator = (await api('POST', '/v1/rotators', { name: 'Both', session_ids: [device.id, id] })).body.id;
  return { whom: { session_id: undefined, rotator_id: rotator }, other: id as string };
}

const becomes = (gateway: Gateway, { api }: Fixture, path: string, status: string) =>
  gateway.until(`it is ${status}`, async () => {
    const { body } = await api('GET', path);
    return body.status === status ? body : null;
  });

const sentBy = ({ sandbox }: Gateway, digits: string): number =>
  sandbox.journal.of('accepted').filter(({ phone }) => phone === digits).length;

/** People in New York, where it is morning, and as many in Jakarta, where it is evening, in turn. */
const inTwoZones = (count: number): string[] => phones(count).flatMap((phone, nth) => [`1212555${1000 + nth}`, phone]);

eachStore('a campaign with several devices', (kind) => {
  it('pauses if the network restricts the sending device, and can be resumed after the restriction ends', async (t) => {
    const { network, gateway, fixture } = await aWebhookFixture(t, kind);
    const people = phones(12);
    const path = await aCampaign(gateway, fixture, people);
    await fixture.api('POST', `${path}/start`, {});
    await gateway.until('two have it', () => reachedOf(gateway, people) >= 2);
    network.restrict(fixture.device.id, gateway.clock.now() + 24 * HOUR);
    const paused = await becomes(gateway, fixture, path, 'paused');
    assert.equal(paused.pause_reason, 'device_restricted');
    const reached = reachedOf(gateway, people);
    await gateway.clock.advance(60_000);
    assert.equal(reachedOf(gateway, people), reached);

    await fixture.api('POST', `${path}/resume`);
    assert.equal((await becomes(gateway, fixture, path, 'paused')).pause_reason, 'device_restricted');
    network.lift(fixture.device.id);
    await gateway.until('it is lifted', async () => (await fixture.api('GET', fixture.device.path)).body.restriction === null);
    await fixture.api('POST', `${path}/resume`);
    assert.equal((await becomes(gateway, fixture, path, 'completed')).sent_count, people.length);
    for (const phone of people) assert.equal(textsOn(gateway, phone).length, 1);
  });

  it('moves queued messages from a restricted device to another device in the rotator', async (t) => {
    const { network, gateway, fixture } = await aWebhookFixture(t, kind);
    const { whom, other } = await twoDevices(gateway, fixture);
    const stream = await listen(gateway.node.url, fixture.api);
    const people = phones(16);
    const path = await aCampaign(gateway, fixture, people, whom);
    await fixture.api('POST', `${path}/start`, {});
    await gateway.until('four have it', () => reachedOf(gateway, people) >= 4);
    network.restrict(fixture.device.id, gateway.clock.now() + 24 * HOUR);
    await gateway.until('it is known', async () => (await fixture.api('GET', fixture.device.path)).body.restriction !== null);
    const before = sentBy(gateway, PHONE);
    const ended = await becomes(gateway, fixture, path, 'completed');
    assert.deepEqual([ended.session_id, ended.rotator_id, ended.sent_count], [null, whom.rotator_id, people.length]);
    assert.ok(sentBy(gateway, PHONE) <= before + 1, 'at most what was on its way');
    await gateway.until('its end is told', () => stream.types().includes('blast.completed'));
    const devicesIn = (type: RegExp) => new Set(stream.events.filter(({ event }) => type.test(event)).map(({ data }) => data.session_id));
    assert.deepEqual(devicesIn(/^blast\./), new Set([null]), 'what is told of it names no device');
    assert.deepEqual(devicesIn(/^message\.sent$/), new Set([fixture.device.id, other]), 'what is told of its messages names theirs');
    for (const phone of people) assert.equal(textsOn(gateway, phone).length, 1);
  });

  it('sends each message once if it is paused and resumed while a message is being typed', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    await fixture.api('PUT', '/v1/settings', { pacing: { min_delay_ms: 1_000, max_delay_ms: 1_000, typing: true } });
    const people = phones(6);
    const path = await aCampaign(gateway, fixture, people, { body: LONG });
    await fixture.api('POST', `${path}/start`, {});
    const isWrittenTo = (phone: string): boolean => gateway.sandbox.phone(phone).presences().at(-1)?.state === 'composing';
    await gateway.until('somebody sees it written', () =>
      people.some((phone) => isWrittenTo(phone) && textsOn(gateway, phone).length === 0),
    );
    await gateway.during(fixture.api('POST', `${path}/pause`));
    await gateway.during(fixture.api('POST', `${path}/resume`));
    // What is not acknowledged leaves again on a new connection, under the network id that is stored.
    gateway.sandbox.device(PHONE).fault({ kind: 'slow', forMs: 60_000 });
    await becomes(gateway, fixture, path, 'completed');
    for (const phone of people) assert.equal(textsOn(gateway, phone).length, 1, phone);
  });

  it('sends from the device shown in the report, even if the send window closes during typing', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const { whom, other } = await twoDevices(gateway, fixture);
    await fixture.api('PUT', '/v1/settings', {
      pacing: { min_delay_ms: 1_000, max_delay_ms: 1_000, typing: true },
      send_window: { enabled: true, start: '06:00', end: '20:00', zone: 'recipient' },
    });
    const untilItCloses = HOUR - (gateway.clock.now() % HOUR);
    gateway.clock.jump(untilItCloses - 21_000);
    const path = await aCampaign(gateway, fixture, inTwoZones(14), { ...whom, body: LONG });
    await fixture.api('POST', `${path}/start`, {});
    await gateway.clock.advance(180_000);
    const { recipients } = (await fixture.api('GET', `${path}/recipients?limit=100`)).body;
    const own = new Map([
      [fixture.device.id, PHONE],
      [other, OTHER],
    ]);
    for (const { phone, session_id } of recipients) {
      const from = gateway.sandbox.journal.of('accepted').flatMap((one) => (one.to?.startsWith(phone) ? [one.phone] : []));
      if (from.length > 0) assert.deepEqual(from, [own.get(session_id)], phone);
    }
  });

  it('moves queued messages from a device that is removed from the rotator to another device', async (t) => {
    const gateway = await aGateway(t, { kind, config: { plans: plansFrom({ free: { devices: 3 } }) } });
    const fixture = await aCampaignFixture(gateway);
    const { whom, other } = await twoDevices(gateway, fixture);
    const { id: spare } = (await fixture.api('POST', '/v1/sessions', {})).body;
    const people = phones(16);
    const path = await aCampaign(gateway, fixture, people, whom);
    await fixture.api('POST', `${path}/start`, {});
    await gateway.until('four have it', () => reachedOf(gateway, people) >= 4);
    await gateway.during(fixture.api('POST', `/v1/sessions/${other}/disconnect`));
    const changed = await fixture.api('PATCH', `/v1/rotators/${whom.rotator_id}`, { session_ids: [fixture.device.id, spare] });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    assert.equal((await becomes(gateway, fixture, path, 'completed')).sent_count, people.length);
    for (const phone of people) assert.equal(textsOn(gateway, phone).length, 1);
  });

  it('continues on the other devices in the rotator when a phone unlinks one of them', async (t) => {
    const { gateway, fixture } = await aWebhookFixture(t, kind);
    const { whom } = await twoDevices(gateway, fixture);
    const people = phones(16);
    const path = await aCampaign(gateway, fixture, people, whom);
    await fixture.api('POST', `${path}/start`, {});
    await gateway.until('four have it', () => reachedOf(gateway, people) >= 4);
    gateway.sandbox.device(OTHER).fault({ kind: 'logout' });
    const ended = await gateway.until('it is over', async () => {
      const { body } = await fixture.api('GET', path);
      return body.status === 'running' ? null : body;
    });
    // What had left the device as it was thrown out is nobody else's to send.
    assert.ok(ended.status === 'completed' || ended.pause_reason === 'device_failed', JSON.stringify(ended));
    assert.ok(ended.sent_count >= people.length - 1);
    for (const phone of people) assert.ok(textsOn(gateway, phone).length <= 1);
  });

  it('completes even if its last messages are queued on a device that stops responding and is then unlinked', async (t) => {
    const { gateway, fixture } = await aWebhookFixture(t, kind);
    const { whom } = await twoDevices(gateway, fixture);
    const people = phones(4);
    gateway.sandbox.device(OTHER).fault({ kind: 'silent', forMs: HOUR });
    const path = await aCampaign(gateway, fixture, people, whom);
    await fixture.api('POST', `${path}/start`, {});
    await gateway.until('one is on its way into the silence', () => gateway.sandbox.journal.of('swallowed').length > 0);
    gateway.sandbox.device(OTHER).fault({ kind: 'logout' });
    const over = await becomes(gateway, fixture, path, 'completed');
    // Nobody will learn whether that one arrived.
    assert.deepEqual([over.sent_count, over.failed_count], [people.length - 1, 1]);
  });
});
