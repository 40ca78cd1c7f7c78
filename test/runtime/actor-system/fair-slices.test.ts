import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairSlices } from '../../../runtime/fair-slices.ts';

const WALKS = 40;
const SLICES = 5;
/** Turns of the event loop that a store works on a slice, outside of it. */
const WORK = 3;

describe('slices of long searches', () => {
  it("run at most two at a time per owner, and do not delay another owner's slices", async () => {
    const slices = new FairSlices();
    let [done, atWork, most] = [0, 0, 0];
    const slice = async (): Promise<void> => {
      atWork += 1;
      most = Math.max(most, atWork);
      for (let turn = 0; turn < WORK; turn += 1) await nextTurn();
      atWork -= 1;
      done += 1;
    };
    const walk = async (owner: string, work: () => Promise<void>): Promise<void> => {
      for (let nth = 0; nth < SLICES; nth += 1) await slices.run(owner, work);
    };
    const flood = Promise.all(Array.from({ length: WALKS }, () => walk('flooding', slice)));
    for (let turn = 0; turn < WALKS; turn += 1) await nextTurn();
    const before = done;
    await walk('quiet', async () => {
      for (let turn = 0; turn < WORK; turn += 1) await nextTurn();
    });
    const overtook = done - before;
    await flood;
    assert.equal(done, WALKS * SLICES);
    assert.equal(most, 2);
    assert.ok(overtook <= 3 * SLICES, `${overtook} slices of the flood came before ${SLICES} of the other`);
  });

  it('free their slot for the next slice even if they fail', async () => {
    const slices = new FairSlices();
    const failed = Array.from({ length: 9 }, () => slices.run('a', () => Promise.reject(new Error('store'))));
    for (const one of failed) await assert.rejects(one, /store/);
    assert.equal(await slices.run('a', async () => 'through'), 'through');
  });
});
