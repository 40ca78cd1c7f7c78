import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Refusal } from '../../../runtime/errors.ts';
import { eachCluster } from './kinds.ts';

const ONE_MIB = 'x'.repeat(2 ** 20);
const refusal = (code: string, details: object = {}) => ({ name: 'Refusal', code, details });

eachCluster('a request to a node', 'any', (kind) => {
  it("is answered by the node's handler, which receives the asking node's id", async (t) => {
    const { wire } = await (await kind.fixture(t)).node('a');
    wire.serve(async (body, from) => ({ body, from }));
    assert.deepEqual(await wire.ask('a', { n: 1 }, 1_000), { body: { n: 1 }, from: 'a' });
    wire.serve(async () => undefined);
    assert.equal(await wire.ask('a', null, 1_000), null);
  });

  it('returns an error with its code and details, but reports bugs only as INTERNAL', async (t) => {
    const { wire } = await (await kind.fixture(t)).node('a');
    wire.serve(async () => Promise.reject(new Refusal('QUOTA_EXCEEDED', { limit: 3 })));
    await assert.rejects(wire.ask('a', {}, 1_000), refusal('QUOTA_EXCEEDED', { limit: 3 }));
    wire.serve(() => {
      throw new TypeError('oops');
    });
    await assert.rejects(wire.ask('a', {}, 1_000), refusal('INTERNAL'));
  });

  it('fails if there is no handler, if the node is unknown, or when it times out', async (t) => {
    const fixture = await kind.fixture(t);
    const { wire } = await fixture.node('a');
    await assert.rejects(wire.ask('a', {}, 1_000), refusal('UNAVAILABLE'));
    await assert.rejects(wire.ask('nobody', {}, 1_000), refusal('UNAVAILABLE'));
    wire.serve(() => new Promise(() => {}));
    await assert.rejects(fixture.meanwhile(wire.ask('a', {}, 50)), refusal('TIMED_OUT'));
  });

  it('fails if the request or the reply is too large', async (t) => {
    const { wire } = await (await kind.fixture(t)).node('a');
    wire.serve(async () => ONE_MIB);
    await assert.rejects(wire.ask('a', ONE_MIB, 1_000), refusal('PAYLOAD_TOO_LARGE'));
    await assert.rejects(wire.ask('a', 'short', 1_000), refusal('PAYLOAD_TOO_LARGE'));
    assert.throws(() => wire.tell('a', ONE_MIB), refusal('PAYLOAD_TOO_LARGE'));
    assert.throws(() => wire.broadcast('news', ONE_MIB), refusal('PAYLOAD_TOO_LARGE'));
  });

  it('fails immediately if a thousand other requests are unanswered', async (t) => {
    const { wire } = await (await kind.fixture(t)).node('a');
    const waiting: (() => void)[] = [];
    wire.serve((body) => (body === 'quick' ? Promise.resolve('done') : new Promise<void>((resolve) => waiting.push(resolve))));
    const asked = Array.from({ length: 1_000 }, () => wire.ask('a', 'slow', 60_000));
    await assert.rejects(wire.ask('a', 'quick', 1_000), refusal('OVERLOADED'));
    waiting[0]!();
    await asked[0];
    assert.equal(await wire.ask('a', 'quick', 1_000), 'done');
    for (const answer of waiting) answer();
    await Promise.all(asked);
  });

  it('fails immediately if its tenant already has a hundred unanswered requests', async (t) => {
    const { wire } = await (await kind.fixture(t)).node('a');
    const waiting: (() => void)[] = [];
    wire.serve((body) => (body === 'quick' ? Promise.resolve('done') : new Promise<void>((resolve) => waiting.push(resolve))));
    const asked = Array.from({ length: 100 }, () => wire.ask('a', 'slow', 60_000, 't1'));
    await assert.rejects(wire.ask('a', 'quick', 1_000, 't1'), refusal('OVERLOADED'));
    assert.equal(await wire.ask('a', 'quick', 1_000, 't2'), 'done');
    waiting[0]!();
    await asked[0];
    assert.equal(await wire.ask('a', 'quick', 1_000, 't1'), 'done');
    for (const answer of waiting) answer();
    await Promise.all(asked);
  });

  it('succeeds without a tenant even if many tenants have reached their limit', async (t) => {
    const { wire } = await (await kind.fixture(t)).node('a');
    wire.serve((body) => (body === 'quick' ? Promise.resolve('done') : new Promise(() => {})));
    const refused: Promise<unknown>[] = [];
    for (let share = 0; share < 100; share += 1)
      for (let n = 0; n < 101; n += 1) refused.push(wire.ask('a', 'slow', 60_000, `t${share}`).catch((cause) => cause.code));
    await assert.rejects(wire.ask('a', 'quick', 1_000, 'another'), refusal('OVERLOADED'));
    assert.equal(await wire.ask('a', 'quick', 1_000), 'done');
    assert.equal(await Promise.race(refused), 'OVERLOADED');
  });

  it('succeeds for a tenant even if many requests without a tenant are unanswered', async (t) => {
    const { wire } = await (await kind.fixture(t)).node('a');
    const waiting: (() => void)[] = [];
    wire.serve((body) => (body === 'quick' ? Promise.resolve('done') : new Promise<void>((resolve) => waiting.push(resolve))));
    const asked = Array.from({ length: 950 }, () => wire.ask('a', 'slow', 60_000));
    assert.equal(await wire.ask('a', 'quick', 1_000, 't1'), 'done');
    for (const answer of waiting) answer();
    await Promise.all(asked);
  });

  it('fails when the asking node leaves', async (t) => {
    const a = await (await kind.fixture(t)).node('a');
    a.wire.serve(() => new Promise(() => {}));
    const refused = assert.rejects(a.wire.ask('a', {}, 60_000), refusal('UNAVAILABLE'));
    await a.leave();
    await refused;
  });
});

eachCluster('a broadcast to all nodes', 'any', (kind) => {
  it('is received once by each listener to its topic, even on the sending node', async (t) => {
    const fixture = await kind.fixture(t);
    const { wire } = await fixture.node('a');
    const received: unknown[] = [];
    wire.onBroadcast('news', (body, from) => received.push([body, from]));
    wire.onBroadcast('news', (body) => received.push(body));
    wire.onBroadcast('weather', () => assert.fail('this is another topic'));
    wire.broadcast('news', { n: 1 });
    await fixture.until(() => received.length > 0);
    await wire.ask('a', 'let what is on its way arrive', 1_000).catch(() => {});
    assert.deepEqual(received, [[{ n: 1 }, 'a'], { n: 1 }]);
  });
});

eachCluster('messages between nodes', 'several nodes', (kind) => {
  it('can be requests, errors, one-way messages and broadcasts', async (t) => {
    const fixture = await kind.fixture(t);
    const [a, b] = [await fixture.node('a'), await fixture.node('b')];
    await fixture.until(() => a.members().length === 2);
    const received: unknown[] = [];
    b.wire.onBroadcast('news', (body, from) => received.push([body, from]));
    b.wire.serve(async (body, from) => {
      received.push([body, from]);
      if (body === 'no') throw new Refusal('DEVICE_OFFLINE', { device: 'd1' });
      return { got: body };
    });
    assert.deepEqual(await a.wire.ask('b', { n: 1 }, 1_000), { got: { n: 1 } });
    await assert.rejects(a.wire.ask('b', 'no', 1_000), refusal('DEVICE_OFFLINE', { device: 'd1' }));
    a.wire.tell('b', 'by the way');
    await fixture.until(() => received.length === 3);
    await b.ping();
    a.wire.broadcast('news', 'all receive this');
    await fixture.until(() => received.length === 4);
    assert.deepEqual(received, [
      [{ n: 1 }, 'a'],
      ['no', 'a'],
      ['by the way', 'a'],
      ['all receive this', 'a'],
    ]);
  });

  it('are limited separately for each node', async (t) => {
    const fixture = await kind.fixture(t);
    const [a, b, c] = [await fixture.node('a'), await fixture.node('b'), await fixture.node('c')];
    await fixture.until(() => a.members().length === 3);
    b.wire.serve(() => new Promise(() => {}));
    c.wire.serve(async () => 'here');
    const asked = Array.from({ length: 1_000 }, () => a.wire.ask('b', {}, 60_000).catch((cause) => cause.code));
    await assert.rejects(a.wire.ask('b', {}, 60_000), refusal('OVERLOADED'));
    assert.equal(await a.wire.ask('c', {}, 1_000), 'here');
    await b.leave();
    assert.deepEqual(new Set(await fixture.meanwhile(Promise.all(asked))), new Set(['UNAVAILABLE']));
  });

  it('do not reach a restarted node if they were sent to its previous process', async (t) => {
    const fixture = await kind.fixture(t);
    const b = await fixture.node('b');
    const before = await fixture.node('a');
    const waiting: (() => void)[] = [];
    b.wire.serve(() => new Promise<void>((resolve) => waiting.push(resolve)));
    const asked = before.wire.ask('b', 'a question', 60_000);
    await fixture.until(() => waiting.length === 1);
    const after = await fixture.node('a');
    const another = fixture.meanwhile(after.wire.ask('b', 'of the same number', 300));
    waiting[0]!();
    await assert.rejects(another, refusal('TIMED_OUT'));
    await asked;
  });
});
