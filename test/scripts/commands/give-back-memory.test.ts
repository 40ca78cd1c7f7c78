import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { giveBackMemory, onceQuiet } from '../../../scripts/commands/give-back-memory.ts';

it('waits until the process has done next to nothing for a while, and is done once', async () => {
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

it('what nobody holds is collected, and programs are offered no collector', async () => {
  const weak = new WeakRef(Buffer.alloc(1_000_000));
  await pause(systemClock, 0);
  giveBackMemory();
  assert.equal(weak.deref(), undefined);
  assert.equal('gc' in globalThis, false);
});

it('a large heap is left alone, because all of it would stand still', async () => {
  const weak = new WeakRef(Buffer.alloc(1_000_000));
  const large = Array.from({ length: 1_000_000 }, (_, nth) => ({ nth, held: [nth] }));
  await pause(systemClock, 0);
  const alive = weak.deref() !== undefined;
  await pause(systemClock, 0);
  giveBackMemory();
  assert.equal(weak.deref() !== undefined, alive);
  assert.equal(large.length, 1_000_000);
});
