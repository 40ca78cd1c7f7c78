import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { giveBackMemory, onceQuiet } from '../../../scripts/commands/give-back-memory.ts';

it('memory is released once after the process has been nearly idle for a while', async () => {
  const clock = new VirtualClock();
  let times = 0;
  onceQuiet(clock, () => times++);
  const until = systemClock.monotonic() + 50;
  while (systemClock.monotonic() < until);
  await clock.advance(1_000);
  assert.equal(times, 0);
  await pause(systemClock, 300);
  await clock.advance(1_000);
  assert.equal(times, 1);
  await clock.advance(60_000);
  assert.equal(times, 1);
});

it('unreferenced memory is freed without exposing the garbage collector', async () => {
  const weak = new WeakRef(Buffer.alloc(1_000_000));
  await pause(systemClock, 0);
  giveBackMemory();
  assert.equal(weak.deref(), undefined);
  assert.equal('gc' in globalThis, false);
});

it('a large heap is not collected, because a collection would block the process', async () => {
  const weak = new WeakRef(Buffer.alloc(1_000_000));
  const large = Array.from({ length: 1_000_000 }, (_, nth) => ({ nth, held: [nth] }));
  await pause(systemClock, 0);
  const alive = weak.deref() !== undefined;
  await pause(systemClock, 0);
  giveBackMemory();
  assert.equal(weak.deref() !== undefined, alive);
  assert.equal(large.length, 1_000_000);
});
