import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createUnknownCounts } from '../../../../actors/services/network-unknown/network-unknown.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { networkUnknownIn } from '../../../../store/devices/network-unknown.ts';
import { eachStore } from '../../../support/stores.ts';

const DAY = 86_400_000;

eachStore('counts of unknown network content', (kind) => {
  it('cover the last seven days and all nodes', async (t) => {
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

  it('come with samples of the last hundred messages, but only a few per frequent type', async (t) => {
    const store = await kind.fresh(t);
    const clock = new VirtualClock(Date.UTC(2026, 10, 28));
    const rows = networkUnknownIn(store);
    await store.prepare();
    const [one, other] = [createUnknownCounts(rows, clock), createUnknownCounts(rows, clock)];
    const fields = [{ field: 117, wire: 2, length: 9, within: [{ field: 1, wire: 2, length: 7 }] }];
    for (let nth = 0; nth < 1_000; nth += 1) one.note('contents', 'field_117', fields);
    other.note('contents', 'field_118', fields);
    await clock.advance(1_000);
    other.note('stanzas', 'w:rain');
    await other.continueAll(clock.now());
    assert.deepEqual((await one.samples(clock.now())).map(({ name }) => name).toSorted(), [
      'field_117',
      'field_117',
      'field_117',
      'field_118',
    ]);
    assert.deepEqual(
      (await one.samples(clock.now())).find(({ name }) => name === 'field_118'),
      { at: Date.UTC(2026, 10, 28), name: 'field_118', fields },
    );
    for (let nth = 0; nth < 150; nth += 1) {
      await clock.advance(60_000);
      one.note('contents', `field_${200 + nth}`, fields);
      await one.continueAll(clock.now());
    }
    const names = (await other.samples(clock.now())).map(({ name }) => name);
    assert.deepEqual([names.length, names[0], names.at(-1)], [100, 'field_349', 'field_250']);
    await clock.advance(7 * DAY);
    await one.continueAll(clock.now());
    assert.deepEqual(await one.samples(clock.now()), []);
  });

  it('have at most 64 names per type, and show unsafe names only as "other"', async (t) => {
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
