import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createUnknownCounts } from '../../../../actors/services/network-unknown/network-unknown.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { networkUnknownIn } from '../../../../store/devices/network-unknown.ts';
import { eachStore } from '../../../support/stores.ts';

const DAY = 86_400_000;

eachStore('counts of what the network sent and was not understood', (kind) => {
  it('are those of all nodes, of the last seven days', async (t) => {
    const store = await kind.fresh(t);
    const clock = new VirtualClock(Date.UTC(2026, 10, 28));
    const rows = networkUnknownIn(store);
    await store.prepare();
    const [one, other] = [createUnknownCounts(rows, clock), createUnknownCounts(rows, clock)];
    one.note('contents', 'eventMessage');
    one.note('stanzas', 'w:rain');
    other.note('contents', 'eventMessage');
    await Promise.all([one.continueAll(clock.now()), other.continueAll(clock.now())]);
    assert.deepEqual(await one.view(clock.now()), { contents: { eventMessage: 2 }, stanzas: { w_rain: 1 } });
    await clock.advance(6 * DAY);
    one.note('contents', 'field_117');
    assert.deepEqual((await one.view(clock.now())).contents, { eventMessage: 2, field_117: 1 });
    await clock.advance(DAY);
    await other.continueAll(clock.now());
    assert.deepEqual(await other.view(clock.now()), { contents: { field_117: 1 }, stanzas: {} });
  });

  it('have at most 64 names of a kind, none of which is a path of the store', async (t) => {
    const store = await kind.fresh(t);
    const clock = new VirtualClock(Date.UTC(2026, 10, 28));
    const rows = networkUnknownIn(store);
    await store.prepare();
    const [one, other] = [createUnknownCounts(rows, clock), createUnknownCounts(rows, clock)];
    for (let nth = 0; nth < 1_000; nth += 1) (nth % 2 === 0 ? one : other).note('stanzas', `tag${nth}`);
    for (const name of ['', 'a.b', '$set', '__proto__', 'x'.repeat(49), 'ü', 'a b']) one.note('contents', name);
    await one.continueAll(clock.now());
    await other.continueAll(clock.now());
    const { contents, stanzas } = await one.view(clock.now());
    assert.deepEqual(contents, { other: 7 });
    assert.ok(Object.keys(stanzas).length <= 65);
    assert.equal(
      Object.values(stanzas).reduce((sum, n) => sum + n, 0),
      1_000,
    );
  });
});
