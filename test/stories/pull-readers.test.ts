import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createPullReaders } from '../../actors/services/events/readers.ts';
import { timePartOfId } from '../../runtime/ids.ts';
import type { Config } from '../../scripts/wiring/config.ts';
import { eventReadersIn } from '../../store/events/event-readers.ts';
import { DEWI, hired } from '../actors/services/agents/agents-fixture.ts';
import { aLiveFixture } from '../actors/services/live/live-fixture.ts';
import { ANNA, type Api } from '../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../support/stores.ts';

const HOUR_MS = 3_600_000;
const RECEIPTS = 'message.delivered,message.read';

type Pulled = { readonly events: readonly { readonly type: string }[]; readonly next: string; readonly gap?: true };

async function world(t: Scope, kind: StoreKind, config: Partial<Config> = {}) {
  const { gateway, tenant, device, key } = await aLiveFixture(t, kind, config);
  const readers = async () => (await tenant.api('GET', '/v1/usage')).body.event_readers;
  return {
    gateway,
    tenant,
    device,
    key,
    readers,
    names: async () => (await readers()).map(({ name }: { name: string }) => name),
    pull: async (query: string, api: Api = tenant.api): Promise<Pulled> => {
      const { status, body } = await api('GET', `/v1/events/pull?limit=200&${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    },
    async sendAndBeRead(body: string) {
      const id = await device.text(ANNA, body);
      await gateway.until('it is read', async () => (await device.message(id)).status === 'read');
    },
  };
}

const typesOf = ({ events }: Pulled): readonly string[] => [...new Set(events.map(({ type }) => type))].toSorted();

eachStore('a reader that polls for events', (kind) => {
  it('receives the events that it subscribes to, starting with its first poll, without a webhook', async (t) => {
    const { pull, sendAndBeRead, readers, gateway } = await world(t, kind);
    await sendAndBeRead('before');
    const first = await pull(`events=${RECEIPTS}&reader=bridge`);
    assert.deepEqual(typesOf(first), []);
    await sendAndBeRead('after');
    assert.deepEqual(typesOf(await pull(`events=${RECEIPTS}&reader=bridge&after=${first.next}`)), RECEIPTS.split(','));
    assert.ok(typesOf(await pull('')).includes('message.read'));
    const [reader] = await readers();
    assert.deepEqual([reader.name, reader.events], ['bridge', RECEIPTS.split(',')]);
    assert.ok(gateway.clock.now() - reader.last_pull_at < HOUR_MS);
  });

  it('belongs to one key, rejects other keys and logins, and is removed when the key is revoked', async (t) => {
    const { pull, key, names, tenant, gateway, sendAndBeRead } = await world(t, kind);
    const [, one, other] = [await key({ name: 'primary' }), await key(), await key()];
    const mine = await pull(`events=${RECEIPTS}&reader=bridge`, one.api);
    for (const api of [other.api, tenant.api]) {
      const refused = await api('GET', '/v1/events/pull?events=message.read&reader=bridge');
      assert.deepEqual([refused.status, refused.body.code], [409, 'CONFLICT']);
    }
    assert.equal((await other.api('DELETE', '/v1/events/readers/bridge')).status, 409);
    assert.deepEqual(await names(), ['bridge']);
    const revoked = await tenant.api('DELETE', `/v1/api-keys/${one.id}`);
    assert.equal(revoked.status, 200, JSON.stringify(revoked.body));
    await gateway.until('it has ended', async () => (await names()).length === 0);
    await sendAndBeRead('unheard');
    const next = await pull(`events=${RECEIPTS}&reader=bridge&after=${mine.next}`, other.api);
    assert.deepEqual([typesOf(next), next.gap], [[], true]);
  });

  it('is rejected if there are already five readers, even when requests are concurrent', async (t) => {
    const { tenant, names, pull } = await world(t, kind);
    const asked = await Promise.all(Array.from({ length: 8 }, (_, n) => tenant.api('GET', `/v1/events/pull?reader=r-${n}`)));
    assert.deepEqual(asked.map(({ status }) => status).toSorted(), [200, 200, 200, 200, 200, 402, 402, 402]);
    const [first] = await names();
    assert.equal((await tenant.api('DELETE', `/v1/events/readers/${first}`)).status, 200);
    assert.equal((await tenant.api('DELETE', `/v1/events/readers/${first}`)).status, 404);
    await pull('events=message.read');
    assert.ok((await names()).includes('default'));
  });

  it("is notified of a gap if it polls again after the events' retention period", async (t) => {
    const { pull, gateway } = await world(t, kind, { events_days: 2 });
    const now = gateway.clock.now();
    const read = (at: number) => pull(`reader=bridge&after=1.evt_${timePartOfId(at)}0000000000000000`);
    assert.equal((await read(now - 47 * HOUR_MS)).gap, undefined);
    assert.equal((await read(now - 49 * HOUR_MS)).gap, true);
  });

  it("keeps its subscription for the events' retention period after its last poll", async (t) => {
    const store = await kind.fresh(t);
    await store.prepare();
    const readers = createPullReaders({
      readers: eventReadersIn(store),
      keys: { liveOf: async () => [] },
      logins: { liveOf: async (ids) => ids },
      keptMs: 48 * HOUR_MS,
    });
    const bridge = { name: 'bridge', owner: { kind: 'login', id: 'L' }, events: ['message.received', 'message.read'] } as const;
    const named = (hours: number) => readers.named('T', hours * HOUR_MS);
    await readers.pull('T', bridge, 0);
    assert.deepEqual(await named(47), ['message.read']);
    await readers.pull('T', bridge, 40 * HOUR_MS);
    assert.deepEqual([await named(87), await named(89)], [['message.read'], []]);
    assert.deepEqual(await readers.list('T', 89 * HOUR_MS), []);
  });

  it('cannot be an agent, and cannot subscribe to stream-only events or invalid names', async (t) => {
    const { tenant, gateway } = await world(t, kind);
    for (const query of ['events=blast.progress', 'events=message.red', 'reader=No', `reader=${'a'.repeat(41)}`])
      assert.equal((await tenant.api('GET', `/v1/events/pull?${query}`)).status, 400, query);
    const { api: agent } = await hired(gateway, tenant.api, 'Dewi', DEWI);
    assert.equal((await agent('GET', '/v1/events/pull')).status, 200);
    assert.equal((await agent('GET', '/v1/events/pull?events=message.read')).status, 403);
  });
});
