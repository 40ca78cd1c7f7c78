import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FairLane } from '../../../runtime/fair-lane.ts';
import { FairSlots } from '../../../runtime/fair-slots.ts';

const full = (): Error => new Error('full');

describe('a fair queue for a shared resource', () => {
  it("takes one item from each owner in turn, and keeps each owner's order", () => {
    const lane = new FairLane<string>();
    for (const item of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) lane.push(item[0]!, item);
    const order = Array.from({ length: 7 }, () => lane.take());
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined]);
  });
});

describe('a pool that tenants share', () => {
  it("runs a quiet tenant's job after at most one of a flooding tenant's jobs", async () => {
    const slots = new FairSlots({ slots: 1, share: 1, waiting: 100, full });
    const order: string[] = [];
    const job = (owner: string) => slots.run(owner, async () => void order.push(owner));
    const flood = Array.from({ length: 50 }, () => job('flooding'));
    await Promise.all([...flood, job('quiet')]);
    assert.ok(order.indexOf('quiet') <= 2, order.join());
  });

  it('limits a tenant whose jobs never end to its share of the slots', async () => {
    const slots = new FairSlots({ slots: 4, share: 2, waiting: 100, full });
    let silent = 0;
    for (let nth = 0; nth < 90; nth += 1)
      void slots.run('silent', () => {
        silent += 1;
        return new Promise(() => {});
      });
    assert.equal(await slots.run('other', async () => 'done'), 'done');
    assert.equal(silent, 2);
  });

  it('rejects jobs only from a tenant that already has too many jobs waiting', async () => {
    const slots = new FairSlots({ slots: 1, share: 1, waiting: 2, full });
    const never = (owner: string) => slots.run(owner, () => new Promise<string>(() => {}));
    const refused: unknown[] = [];
    for (let nth = 0; nth < 5; nth += 1) never('flooding').catch((cause) => refused.push(cause));
    const other = never('other').catch(() => 'refused');
    assert.equal(await Promise.race([other, new Promise((resolve) => setImmediate(resolve, 'waits'))]), 'waits');
    assert.equal(refused.length, 2);
  });

  it("frees a job's slot exactly once, whether the job succeeds or fails", async () => {
    const slots = new FairSlots({ slots: 1, share: 1, waiting: 0, full });
    await assert.rejects(
      slots.run('a', () => Promise.reject(new Error('failed'))),
      /failed/,
    );
    const leave = await slots.enter('a');
    leave();
    leave();
    await slots.enter('a');
    await assert.rejects(slots.enter('b'), /full/);
  });
});
