import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  areaUnder,
  labelled,
  lineThrough,
  nearest,
  pointsIn,
  shadeOf,
  ticksFor,
} from '../../../../../../http/console/app/pages/analytics/scale.ts';

const FRAME = { left: 10, right: 110, top: 0, bottom: 100 };

describe('charts on the Reports page', () => {
  it('end the axis at a round value that is at least the maximum', () => {
    assert.deepEqual(ticksFor(612), [0, 200, 400, 600, 800]);
    assert.deepEqual(ticksFor(0), [0, 1]);
    assert.deepEqual(ticksFor(1), [0, 1]);
    for (const most of [2, 3, 7, 9, 11, 99, 101, 999, 1_234, 98_765, 1_000_000]) {
      const ticks = ticksFor(most);
      assert.ok((ticks.at(-1) ?? 0) >= most, `${most}`);
      assert.ok(ticks.length <= 6 && ticks.every(Number.isInteger), `${most}: ${ticks}`);
    }
  });

  it('draw a line through equally spaced points', () => {
    const points = pointsIn(FRAME, [0, 50, 100], 100);
    assert.equal(lineThrough(points), 'M10,100L60,50L110,0');
    assert.equal(areaUnder(points, 100), 'M10,100L60,50L110,0L110,100L10,100Z');
    assert.deepEqual(pointsIn(FRAME, [5], 10), [{ x: 60, y: 50 }]);
    assert.equal(areaUnder([], 100), '');
  });

  it('find the day under the pointer', () => {
    const points = pointsIn(FRAME, [1, 2, 3], 3);
    assert.deepEqual(
      [-5, 34, 36, 400].map((x) => nearest(points, x)),
      [0, 0, 1, 2],
    );
    assert.equal(nearest([], 3), -1);
  });

  it('label only as many days as fit', () => {
    assert.deepEqual(labelled(7, 8), [0, 1, 2, 3, 4, 5, 6]);
    assert.deepEqual(labelled(30, 8), [0, 4, 8, 12, 16, 20, 24, 28]);
    assert.deepEqual(labelled(0, 8), []);
  });

  it('shade each hour in proportion to the busiest hour', () => {
    assert.deepEqual(
      [0, 1, 20, 21, 99, 100].map((value) => shadeOf(value, 100)),
      [0, 1, 1, 2, 5, 5],
    );
  });
});
