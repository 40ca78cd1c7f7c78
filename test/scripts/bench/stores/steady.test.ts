import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OTHERS, steady } from '../../../../scripts/bench/stores/steady.ts';

for (const isKept of [true, false])
  it(`webhooks and sends at a steady rate are all accepted over ${isKept ? 'kept connections' : 'a new connection per call'}`, async () => {
    const { sent, stored, rounds } = await steady({ stores: 20, each: 5, others: 10, withinMs: 1_000, rounds: 1, isKept });
    assert.deepEqual([sent, stored, rounds.length], [100, 100, 1]);
    for (const { alone, beside, hooks } of rounds) {
      assert.equal(hooks.accepted, 100);
      for (const name of OTHERS) assert.deepEqual([alone[name]?.accepted, beside[name]?.accepted], [10, 10], name);
    }
  });
