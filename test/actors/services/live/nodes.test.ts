import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aCluster } from '../../../support/cluster.ts';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { follow, listen, open, ticketUrl } from './listener.ts';

const isReceived = ({ type }: { readonly type: string }): boolean => type === 'message.received';

eachStore('a live stream on a cluster', (kind) => {
  it('carries events from all nodes, whichever node it is on', async (t) => {
    const cluster = await aCluster(t, kind);
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const fleet = await cluster.fleet(4, a, b);
    await cluster.waited('both run devices', () => new Set(cluster.owners(fleet)).size === 2);
    const streams = await a.during(Promise.all([a, b].map((node) => listen(node.node.url, fleet.at(node)))));
    for (const { phone } of fleet.devices) cluster.sandbox.phone(ANNA).write({ to: phone, content: { type: 'text', body: 'hi' } });
    const received = (n: number) => streams[n]!.types().filter((type) => type === 'message.received').length;
    await cluster.waited('both receive all four', () => received(0) === 4 && received(1) === 4);
    await cluster.clock.advance(1_000);
    for (const { events } of streams) assert.equal(new Set(events.map(({ id }) => id)).size, events.length);
  });

  it('resumes on another node with each event once after a crash', async (t) => {
    const cluster = await aCluster(t, kind);
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const fleet = await cluster.fleet(4, a, b);
    const { key } = (await fleet.tenant.api('POST', '/v1/api-keys', { name: 'ear' })).body;
    const write = (): void => {
      for (const { phone } of fleet.devices) cluster.sandbox.phone(ANNA).write({ to: phone, content: { type: 'text', body: 'hi' } });
    };
    const onA = await a.during(follow(a.node.url, key));
    for (let round = 0; round < 5; round += 1) write();
    await cluster.waited('some of it is received on one node', () => onA.events.length > 0);
    const first = [...onA.events];
    await a.kill();
    for (let round = 0; round < 5; round += 1) write();
    const kept = async () => (await b.as(key)('GET', '/v1/events/pull?limit=200')).body.events;
    await cluster.waited('the rest comes while nobody listens', async () => (await kept()).filter(isReceived).length === 40);
    const onB = await b.during(follow(b.node.url, key, first.at(-1)!.id));
    const received = (): string[] => [...first, ...onB.events].filter(({ event }) => event === 'message.received').map(({ id }) => id);
    await cluster.waited('all of it is received', () => received().length >= 40);
    await cluster.clock.advance(15_000);
    assert.deepEqual([received().length, new Set(received()).size], [40, 40]);
    onB.close();
  });

  it('is closed if it may have missed an event, unless it follows the log and can catch up', async (t) => {
    const cluster = await aCluster(t, kind);
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const fleet = await cluster.fleet(4, a, b);
    await cluster.waited('both run devices', () => new Set(cluster.owners(fleet)).size === 2);
    const { key } = (await fleet.tenant.api('POST', '/v1/api-keys', { name: 'ear' })).body;
    const write = (): void => {
      for (const { phone } of fleet.devices) cluster.sandbox.phone(ANNA).write({ to: phone, content: { type: 'text', body: 'hi' } });
    };
    const kept = async () => (await b.as(key)('GET', '/v1/events/pull?limit=200')).body.events.filter(isReceived).length;
    const [onA, onB] = [await a.during(listen(a.node.url, fleet.at(a))), await a.during(listen(b.node.url, fleet.at(b)))];
    const follower = await a.during(follow(a.node.url, key));
    write();
    await cluster.waited('all are recorded', async () => (await kept()) === 4);
    await cluster.clock.advance(120_000);
    assert.deepEqual([onA.isClosed, onB.isClosed, onA.events.length], [false, false, 4]);

    cluster.redis.partition('a');
    write();
    await cluster.waited('all are recorded again', async () => (await kept()) === 8);
    cluster.redis.heal('a');
    await cluster.waited('the one that missed some is closed', () => onA.isClosed);
    await cluster.waited('the other one has them', () => follower.events.filter(({ event }) => event === 'message.received').length === 8);
    assert.equal(follower.isClosed, false);
    const again = await a.during(listen(a.node.url, fleet.at(a)));
    await cluster.clock.advance(60_000);
    assert.equal(again.isClosed, false);
  });

  for (const [ending, isClosed] of [
    ['crashes, possibly with unpublished events', true],
    ['stops normally', false],
  ] as const)
    it(`is ${isClosed ? 'closed' : 'left open'} when another node ${ending}`, async (t) => {
      const cluster = await aCluster(t, kind);
      const [a, b] = [await cluster.node('a'), await cluster.node('b')];
      const tenant = await a.signUp();
      await cluster.clock.advance(20_000);
      const stream = await a.during(listen(a.node.url, tenant.api));
      await (isClosed ? b.kill() : b.stop());
      await cluster.clock.advance(70_000);
      assert.equal(stream.isClosed, isClosed);
    });

  it('can be opened only once with a ticket, even on another node', async (t) => {
    const cluster = await aCluster(t, kind);
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const tenant = await a.signUp();
    const url = await ticketUrl(tenant.api);
    const both = await a.during(Promise.all([open(a.node.url, url), open(b.node.url, url)]));
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401]);
  });

  it('ends soon after a logout on another node, even without Redis', async (t) => {
    const cluster = await aCluster(t, kind);
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const tenant = await a.signUp();
    const stream = await a.during(listen(b.node.url, tenant.api));
    cluster.redis.partition('a');
    await tenant.api('POST', '/auth/logout');
    await cluster.clock.advance(5_000);
    assert.equal(stream.isClosed, true);
    cluster.redis.heal('a');
  });

  it("ends on every node when its key is rotated, which also invalidates the key's tickets", async (t) => {
    const cluster = await aCluster(t, kind);
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const tenant = await a.signUp();
    const { id, key } = (await tenant.api('POST', '/v1/api-keys', { name: 'ear' })).body;
    const url = await ticketUrl(a.as(key));
    const stream = await a.during(listen(b.node.url, b.as(key)));
    assert.equal((await tenant.api('POST', `/v1/api-keys/${id}/rotate`)).status, 200);
    await cluster.waited('it is closed', () => stream.isClosed);
    assert.equal((await a.during(open(b.node.url, url))).status, 401);
  });

  it('is not opened by a HEAD request, which uses neither a slot nor a ticket', async (t) => {
    const cluster = await aCluster(t, kind);
    const a = await cluster.node('a');
    const tenant = await a.signUp();
    const { key } = (await tenant.api('POST', '/v1/api-keys', { name: 'ear' })).body;
    const url = await ticketUrl(tenant.api);
    const head = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
      const answer = await a.during(fetch(`${a.node.url}${path}`, { method: 'HEAD', headers }));
      return [answer.status, answer.headers.get('content-type')?.split(';')[0]];
    };
    assert.deepEqual(await head(url), [200, 'text/event-stream']);
    for (let n = 0; n < 25; n += 1)
      assert.deepEqual(await head('/v1/events', { authorization: `Bearer ${key}` }), [200, 'text/event-stream']);
    assert.equal((await head('/v1/events', { authorization: 'Bearer x' }))[0], 401);
    assert.equal((await a.during(open(a.node.url, url))).status, 200);
  });

  it("counts towards its tenant's limit of 20, whichever node it is on", async (t) => {
    const cluster = await aCluster(t, kind);
    const [a, b] = [await cluster.node('a'), await cluster.node('b')];
    const tenant = await a.signUp();
    const opened = async (node: typeof a) => a.during(listen(node.node.url, tenant.api));
    const streams = [];
    for (let n = 0; n < 20; n += 1) streams.push(await opened(n % 2 ? a : b));
    assert.ok(streams.every(({ status }) => status === 200));
    assert.deepEqual([(await opened(a)).status, (await opened(b)).status], [429, 429]);
    await cluster.clock.advance(120_000);
    assert.equal((await opened(a)).status, 429, 'they are kept for as long as they are open');

    streams[0]!.close();
    await cluster.waited('it is gone', () => b.node.live.size === 9);
    assert.deepEqual([(await opened(a)).status, (await opened(b)).status], [200, 429]);
    await b.kill();
    await cluster.clock.advance(60_000);
    assert.equal((await opened(a)).status, 200);
  });
});
