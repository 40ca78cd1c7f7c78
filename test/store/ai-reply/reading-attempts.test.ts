import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readingAttemptsIn } from '../../../store/ai-reply/reading-attempts.ts';
import { eachStore } from '../../support/stores.ts';

const HOUR = 3_600_000;

eachStore('attempts to read a file', (kind) => {
  it('are limited to two across all nodes until an hour has passed since the last attempt', async (t) => {
    const store = await kind.fresh(t);
    const nodes = [readingAttemptsIn(store), readingAttemptsIn(store)] as const;
    await store.prepare();
    const begun = await Promise.all(Array.from({ length: 8 }, (_, nth) => nodes[nth % 2 === 0 ? 0 : 1].begin('shop', 'abc', 1_000)));
    assert.equal(begun.filter((until) => until === null).length, 2);
    assert.deepEqual([...new Set(begun.filter((until) => until !== null))], [1_000 + HOUR]);
    assert.equal(await nodes[0].begin('shop', 'other file', 1_000), null);
    assert.equal(await nodes[0].begin('other', 'abc', 1_000), null);
    assert.equal(await nodes[1].begin('shop', 'abc', 999 + HOUR), 1_000 + HOUR);
    for (const expected of [null, null, 1_000 + 2 * HOUR]) assert.equal(await nodes[1].begin('shop', 'abc', 1_000 + HOUR), expected);
  });

  it('are reset when one succeeds, and are not counted if the node stopped them', async (t) => {
    const store = await kind.fresh(t);
    const attempts = readingAttemptsIn(store);
    await store.prepare();
    for (let times = 0; times < 3; times += 1) {
      assert.equal(await attempts.begin('shop', 'abc', 1), null);
      await attempts.end('shop', 'abc');
    }
    for (let times = 0; times < 3; times += 1) {
      assert.equal(await attempts.begin('shop', 'abc', 1), null);
      await attempts.takeBack('shop', 'abc');
    }
    await attempts.takeBack('shop', 'abc');
    await attempts.takeBack('shop', 'never begun');
    for (const expected of [null, null, 1 + HOUR]) assert.equal(await attempts.begin('shop', 'abc', 1), expected);
    await store.sweep(2 + HOUR);
    assert.equal(await attempts.begin('shop', 'abc', 2), null);
  });
});
