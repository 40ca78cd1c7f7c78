import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededChance } from '../../runtime/chance.ts';
import { Lane } from '../../runtime/lane.ts';

describe('a lane', () => {
  it('gives back what it took in the same order, however it grows and empties', () => {
    const chance = seededChance(7);
    const lane = new Lane<number>();
    const model: number[] = [];
    for (let step = 0; step < 20_000; step += 1) {
      const isFilling = Math.floor(step / 1_000) % 2 === 0;
      if (chance() < (isFilling ? 0.7 : 0.3)) {
        lane.push(step);
        model.push(step);
      } else assert.equal(lane.take(), model.shift());
      assert.equal(lane.size, model.length);
    }
  });
});
