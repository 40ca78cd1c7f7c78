import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TimeSlicer } from '../../../../actors/services/contacts/time-slicer.ts';
import { Refusal } from '../../../../runtime/errors.ts';

describe('scans of all contacts of a tenant', () => {
  it('do only one short piece of work per event-loop tick in total, however many scans there are', async () => {
    const timeSlicer = new TimeSlicer();
    let slices = 0;
    const seen: number[] = [];
    let isOver = false;
    const onlooker = (): void => {
      seen.push(slices);
      if (!isOver) setImmediate(onlooker);
    };
    onlooker();
    const looker = async (): Promise<void> => {
      for (let slice = 0; slice < 5; slice += 1) {
        await timeSlicer.turn('t');
        slices += 1;
      }
    };
    await Promise.all(Array.from({ length: 20 }, () => timeSlicer.during('t', looker)));
    isOver = true;
    assert.equal(slices, 100);
    assert.ok(seen.every((now, nth) => now - (seen[nth - 1] ?? 0) <= 1));
  });

  it('are rejected while too many run, and are accepted again afterwards', async () => {
    const timeSlicer = new TimeSlicer();
    const gate = Promise.withResolvers<void>();
    const waiting = Array.from({ length: 20 }, () => timeSlicer.during('t', () => gate.promise));
    await assert.rejects(
      timeSlicer.during('t', async () => {}),
      (cause) => cause instanceof Refusal && cause.code === 'OVERLOADED',
    );
    gate.resolve();
    await Promise.all(waiting);
    assert.equal(await timeSlicer.during('t', async () => 'through'), 'through');
  });
});
