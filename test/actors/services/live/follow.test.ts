import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore, embedded } from '../../../support/stores.ts';
import { follow, type Listener, type Received } from './listener.ts';
import { aLiveFixture, type LiveFixture } from './live-fixture.ts';

const FLOOD = 120;
const CUTS = 4;
const ids = (events: readonly Received[]): readonly string[] => events.map(({ id }) => id);

/** All that the tenant can pull, in its order. */
async function pulled({ tenant }: LiveFixture): Promise<readonly { readonly id: string; readonly type: string }[]> {
  const all = [];
  for (let after = ''; ; ) {
    const { events, next } = (await tenant.api('GET', `/v1/events/pull?limit=200${after}`)).body;
    if (events.length === 0) return all;
    all.push(...events);
    after = `&after=${next}`;
  }
}

/** A stream with a new key of the tenant. */
async function aFollower(fixture: LiveFixture, fields: object = {}) {
  const { key, id } = await fixture.key(fields);
  return { id, follow: (last?: string, query?: string): Promise<Listener> => follow(fixture.gateway.node.url, key, last, query) };
}

eachStore('a client that follows events with an API key', (kind) => {
  it('receives each event exactly once if its connection breaks during a burst', async (t) => {
    const fixture = await aLiveFixture(t, kind);
    const { gateway, write } = fixture;
    const reader = await aFollower(fixture, { scopes: ['read', 'manage'] });
    let stream = await reader.follow();
    const received: Received[] = [];
    for (let cut = 0; cut < CUTS; cut += 1) {
      for (let n = 0; n < FLOOD / CUTS / 2; n += 1) write(`received ${cut} ${n}`);
      await gateway.until('some of it is received', () => stream.events.length > 0);
      stream.close();
      received.push(...stream.events);
      const before = (await pulled(fixture)).length;
      for (let n = 0; n < FLOOD / CUTS / 2; n += 1) write(`missed ${cut} ${n}`);
      await gateway.until('more comes meanwhile', async () => (await pulled(fixture)).length > before);
      stream = await reader.follow(received.at(-1)!.id);
    }
    await gateway.until('the rest is received', () => received.length + stream.events.length >= FLOOD);
    await gateway.clock.advance(15_000);
    const all = ids([...received, ...stream.events]);
    const log = (await pulled(fixture)).filter(({ type }) => type === 'message.received').map(({ id }) => id);
    assert.equal(log.length, FLOOD);
    assert.deepEqual(all, log);
    stream.close();
  });

  it('receives all stored events after a long absence, or only new ones if it sends no event id', async (t) => {
    const fixture = await aLiveFixture(t, kind);
    const { gateway, write } = fixture;
    for (let n = 0; n < 3; n += 1) write(`early ${n}`);
    await gateway.until('all are recorded', async () => (await pulled(fixture)).length >= 5);
    const reader = await aFollower(fixture);
    const [fresh, gone] = [await reader.follow(), await reader.follow('evt_01JZX5ZB4T8QKX3N9V7C2M6D1E')];
    const log = await pulled(fixture);
    await gateway.until('what is kept is received', () => gone.events.length === log.length);
    assert.deepEqual(
      ids(gone.events),
      log.map(({ id }) => id),
    );
    write('new');
    await gateway.until('both receive', () => fresh.events.length === 1 && gone.events.length === log.length + 1);
    assert.equal(fresh.events[0]?.data.data.body, 'new');
  });

  it('receives events that are not recorded, without an id', async (t) => {
    const fixture = await aLiveFixture(t, kind);
    const { gateway, tenant, write } = fixture;
    const reader = await aFollower(fixture);
    const stream = await reader.follow('');
    write('recorded');
    await gateway.until('it is received', () => stream.events.length === 1);
    gateway.node.live.emit(tenant.id, null, { type: 'scheduled.sent', data: { scheduled_id: 's', message_id: 'm' } });
    await gateway.until('it is received, too', () => stream.types().includes('scheduled.sent'));
    assert.deepEqual([stream.events[0]?.id.length, stream.events[1]?.id], [30, '']);
  });

  it("receives only events of its key's devices, and is disconnected when the key is rotated", async (t) => {
    const fixture = await aLiveFixture(t, kind);
    const { gateway, tenant, device, write } = fixture;
    const second = await tenant.linked('6281100000002');
    const reader = await aFollower(fixture, { session_ids: [second.id], scopes: ['read'] });
    const stream = await reader.follow('evt_01JZX5ZB4T8QKX3N9V7C2M6D1E');
    write('to the first');
    write('to the second', ANNA, '6281100000002');
    await gateway.until('it receives', () => stream.types().includes('message.received'));
    assert.ok(!stream.events.some(({ data }) => data.session_id === device.id || data.type === 'qr.generated'));
    await tenant.api('POST', `/v1/api-keys/${reader.id}/rotate`);
    await gateway.until('it is closed', () => stream.isClosed);
    assert.equal((await reader.follow()).status, 401);
  });

  it('gets an error for an invalid request or a missing scope', async (t) => {
    const fixture = await aLiveFixture(t, kind);
    const reader = await aFollower(fixture);
    assert.equal((await reader.follow('yesterday')).status, 400);
    assert.equal((await reader.follow(undefined, '?events=message.gone')).status, 400);
    assert.equal((await reader.follow(undefined, '?events=message.read&ticket=x')).status, 400);
    assert.equal((await (await aFollower(fixture, { scopes: ['send'] })).follow()).status, 403);
    assert.equal((await fixture.tenant.api('POST', '/v1/events-ticket', { events: ['message.gone'] })).status, 400);
  });
});

eachStore('a stream with selected event types', (kind) => {
  it('carries only the selected events, even if no webhook subscribes to them', async (t) => {
    const fixture = await aLiveFixture(t, kind);
    const { gateway, device, listen } = fixture;
    const names = ['message.delivered', 'chat.assigned'];
    const [ticketed, plain] = [await listen(undefined, names), await listen()];
    const reader = await aFollower(fixture);
    const follower = await reader.follow(undefined, '?events=message.delivered&events=message.sent');
    await device.text(ANNA, 'hello');
    await gateway.until('both receive', () => ticketed.events.length > 0 && follower.events.length >= 2);
    await gateway.until('the other learns that it was sent', () => plain.types().includes('message.sent'));
    assert.deepEqual([...new Set(ticketed.types())], ['message.delivered']);
    assert.deepEqual(new Set(follower.types()), new Set(['message.sent', 'message.delivered']));
    assert.ok(!plain.types().includes('message.delivered'));
    const [first] = follower.events;
    const again = await reader.follow(first?.id, '?events=message.delivered&events=message.sent');
    await gateway.until('it is there for those who come back', () => again.events.length === follower.events.length - 1);
  });
});

it('a stream is closed if its client reads nothing for half a minute, but a slow client still gets everything', async (t) => {
  const fixture = await aLiveFixture(t, embedded);
  const { gateway, write } = fixture;
  const reader = await aFollower(fixture);
  const [asleep, slow] = [await reader.follow(), await reader.follow()];
  asleep.pause();
  slow.pause();
  const [letters, most] = ['x'.repeat(60_000), 200];
  for (let n = 0; n < most; n += 1) write(`${n} ${letters}`);
  await gateway.until('all are recorded', async () => (await pulled(fixture)).length >= most);
  slow.resume();
  await gateway.until('the slow one receives all', () => slow.events.length === most);
  await gateway.clock.advance(45_000);
  asleep.resume();
  await gateway.until('the other is closed', () => asleep.isClosed);
  assert.ok(asleep.events.length < most);
  assert.equal(slow.isClosed, false);
});
