import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { minuteOf, spansBetween, todayOf } from '../../../../../http/console/app/ui/day.ts';

const ZONE = 'Asia/Jakarta';
const at = (clock: string): number => Date.parse(`${clock}+07:00`);

describe('the day chart', () => {
  it("counts minutes from midnight in the business's time zone", () => {
    assert.equal(minuteOf(at('2026-11-29T08:30'), ZONE), 510);
    assert.equal(minuteOf(at('2026-11-29T00:00'), ZONE), 0);
  });

  it('splits a send window that crosses midnight', () => {
    assert.deepEqual(spansBetween('08:00', '20:00'), [[480, 1_200]]);
    assert.deepEqual(spansBetween('22:00', '06:00'), [
      [0, 360],
      [1_320, 1_440],
    ]);
    assert.deepEqual(spansBetween('22:00', '00:00'), [[1_320, 1_440]]);
  });

  it('clips a time span to today', () => {
    const now = at('2026-11-29T12:00');
    assert.deepEqual(todayOf(at('2026-11-29T09:00'), now, now, ZONE), [540, 720]);
    assert.deepEqual(todayOf(at('2026-11-28T23:00'), now, now, ZONE), [0, 720]);
    assert.deepEqual(todayOf(now, at('2026-11-30T01:00'), now, ZONE), [720, 1_440]);
    assert.equal(todayOf(at('2026-11-30T01:00'), at('2026-11-30T02:00'), now, ZONE), null);
  });
});
