import assert from 'node:assert/strict';
import { it } from 'node:test';
import { happenedAt } from '../../../actors/device/behaviour/network-time.ts';

const NOW = 1_767_225_600_750;
const SECOND = 1_767_225_600_000;

it('a recent network time is treated as now, so it is never earlier than the local action or in the future', () => {
  assert.equal(happenedAt(SECOND, NOW), NOW);
  assert.equal(happenedAt(SECOND - 2_000, NOW, NOW - 100), NOW);
  assert.equal(happenedAt(SECOND + 60_000, NOW), NOW, 'nothing happens in the future');
});

it('an older network time is moved to the end of its second, but never before the local action', () => {
  assert.equal(happenedAt(SECOND - 3_600_000, NOW), SECOND - 3_600_000 + 999);
  assert.equal(happenedAt(SECOND - 3_600_000, NOW, NOW - 600_000), NOW - 600_000);
});
