import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../runtime/random.ts';
import { RingQueue } from '../../runtime/ring-queue.ts';

describe('a ring queue', () => {
  it('returns items in order while it grows and shrinks', () => {
    const random = seededRandom(7);
    const lane = new RingQueue<number>();
    const model: number[] = [];
    for (let step = 0; step < 20_000; step += 1) {
      const isFilling = Math.floor(step / 1_000) % 2 === 0;
      if (random() < (isFilling ? 0.7 : 0.3)) {
        lane.push(step);
        model.push(step);
      } else assert.equal(lane.take(), model.shift());
      assert.equal(lane.size, model.length);
    }
  });
});
