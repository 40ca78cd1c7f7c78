import assert from 'node:assert/strict';
import { it } from 'node:test';
import { replyQuotaIn } from '../../../store/ai-reply/reply-quota.ts';
import { eachStore } from '../../support/stores.ts';

const LIMIT = 8;

eachStore('the monthly quota for AI replies', (kind) => {
  it("allows exactly the plan's number of replies, even if many are sent concurrently", async (t) => {
    const store = await kind.fresh(t);
    const quota = replyQuotaIn(store);
    await store.prepare();
    for (let month = 1; month <= 9; month += 1) {
      const name = `2026-0${month}`;
      const takes = (from: number, count: number) =>
        Promise.all(Array.from({ length: count }, (_, nth) => quota.take('t', name, `r${from + nth}`, LIMIT)));
      assert.deepEqual(await takes(0, LIMIT - 2), Array(LIMIT - 2).fill(true), 'there is room for all');
      assert.equal((await takes(100, LIMIT)).filter(Boolean).length, 2);
      assert.deepEqual(await takes(0, 2), [true, true], 'they are counted already');
      assert.equal(await quota.used('t', name), LIMIT);
    }
  });
});
