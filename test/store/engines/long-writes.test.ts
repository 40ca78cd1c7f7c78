import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Note, noteSpec } from '../../support/notes.ts';
import { embedded } from '../../support/stores.ts';

const MANY = 2_000;
/** Of a long write, before the write of somebody else that came after it. */
const MAX_BEFORE = 400;

for (const [what, write] of [
  ['insert', null],
  ['update', { $set: { owner: 'ben' } }],
  ['deletion', 'delete'],
] as const)
  it(`writes by one owner are executed during a long ${what} by another owner`, async (t) => {
    const store = await embedded.fresh(t);
    const notes = store.collection<Note>({ ...noteSpec });
    await store.prepare();
    const docs = Array.from({ length: MANY }, (_, nth) => ({ _id: `n${nth}`, owner: 'ann', rank: nth }));
    if (write !== null) await notes.insertMany(docs, { ordered: false });
    const began =
      write === null
        ? notes.insertMany(docs, { ordered: false })
        : write === 'delete'
          ? notes.deleteMany({ owner: 'ann' })
          : notes.updateMany({ owner: 'ann' }, write);
    const done = async (): Promise<number> => {
      if (write === null) return (await notes.countDocuments({ owner: 'ann' })) - 1;
      return write === 'delete' ? MANY + 1 - (await notes.countDocuments({})) : notes.countDocuments({ owner: 'ben' });
    };
    await new Promise(setImmediate);
    await notes.insertOne({ _id: 'other', owner: write === null ? 'ann' : 'zoe' });
    const before = await done();
    assert.ok(before <= MAX_BEFORE, `${before} before it`);
    await began;
    assert.equal(await done(), MANY);
  });
