import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import type { Filter, Update } from '../../../store/port.ts';
import { type Note, notesIn } from '../../support/notes.ts';
import { aDirectory, embedded } from '../../support/stores.ts';

const shelf: readonly Note[] = [{ _id: 'a', owner: 'ann', rank: 1, tags: ['x'] }];

// What the compiler refuses reaches the store all the same, out of data that was typed too kindly.
const unsafe = <T>(value: unknown): T => value as T;

describe('the embedded store', () => {
  it('throws on an unsupported filter instead of matching every document', async (t) => {
    const notes = await notesIn(embedded, t, shelf);
    const filters: readonly unknown[] = [
      { owner: undefined },
      { _id: undefined },
      { owner: { $eq: undefined } },
      { owner: { $in: [undefined] } },
      { owner: { $in: 'ann' } },
      { owner: { $regex: 'a' } },
      { owner: {} },
      { owner: { name: 'ann' } },
      { owner: ['ann'] },
      { owner: new Date(0) },
      { rank: Number.NaN },
      { rank: { $gt: null } },
      { rank: { $lt: true } },
      { rank: { $exists: 1 } },
      { tags: { $gt: null } },
      { tags: { $size: 1 } },
      { _id: 5 },
      { _id: null },
      { $or: [] },
      { $and: {} },
      { $or: [null] },
      { $where: '1' },
      { $nor: [{ owner: 'ann' }] },
      null,
      'a',
    ];
    for (const filter of filters) {
      const name = JSON.stringify(filter);
      await assert.rejects(notes.findOne(unsafe<Filter>(filter)), TypeError, name);
      await assert.rejects(notes.deleteMany(unsafe<Filter>(filter)), TypeError, name);
    }
    assert.equal(await notes.countDocuments({}), 1);
  });

  it('accepts only plain field names as paths, which prevents SQL injection', async (t) => {
    const notes = await notesIn(embedded, t, shelf);
    const paths = [
      "a'b",
      'a"b',
      'a b',
      'a..b',
      '.a',
      'a.',
      '1a',
      'a-b',
      "x') OR 1 --",
      '',
      'a.__proto__',
      '__proto__.x',
      'constructor.prototype',
      'prototype',
    ];
    for (const path of paths) {
      await assert.rejects(notes.findOne(Object.fromEntries([[path, 1]])), TypeError, path);
      await assert.rejects(notes.find({}, { sort: Object.fromEntries([[path, 1]]) }).toArray(), TypeError, path);
      await assert.rejects(notes.updateOne({ _id: 'a' }, { $set: Object.fromEntries([[path, 1]]) }), TypeError, path);
    }
    assert.deepEqual(await notes.findOne({}), shelf[0]);
    assert.equal(Object.hasOwn(Object.prototype, 'x'), false);
  });

  it('binds values as parameters, whatever they contain', async (t) => {
    const notes = await notesIn(embedded, t, shelf);
    const nasty = "x' OR '1'='1";
    assert.equal(await notes.findOne({ owner: nasty }), null);
    await notes.insertOne({ _id: nasty, owner: nasty, status: 'a\u0000b' });
    assert.equal((await notes.findOne({ owner: nasty, status: 'a\u0000b' }))?._id, nasty);
  });

  it('throws on an unsupported update', async (t) => {
    const notes = await notesIn(embedded, t, shelf);
    const updates: readonly unknown[] = [
      { owner: 'bob' },
      { $rename: { owner: 'o' } },
      { $set: 'bob' },
      { $set: { owner: undefined } },
      { $set: { at: new Date(0) } },
      { $set: { rank: Number.POSITIVE_INFINITY } },
      { $inc: { rank: '1' } },
      { $inc: { rank: null } },
      { $push: { tags: { $each: 'x' } } },
      { $push: { tags: { $each: [], $sort: 1 } } },
      { $addToSet: { tags: { $each: [], $slice: 1 } } },
      { $pull: { tags: { $in: ['x'] } } },
    ];
    for (const update of updates) {
      await assert.rejects(notes.updateOne({ _id: 'a' }, unsafe<Update>(update)), TypeError, JSON.stringify(update));
    }
    assert.deepEqual(await notes.findOne({}), shelf[0]);
  });

  it('rejects documents that MongoDB would store differently', async (t) => {
    const notes = await notesIn(embedded, t);
    const docs: readonly unknown[] = [
      {},
      { _id: 1 },
      { _id: 'x', a: undefined },
      { _id: 'x', a: { b: [Number.NaN] } },
      { _id: 'x', a: new Date(0) },
      { _id: 'x', a: Buffer.from('a') },
      { _id: 'x', a: 1n },
      { _id: 'x', a: () => 1 },
      { _id: 'x', a: { $set: 1 } },
      JSON.parse('{"_id":"x","__proto__":{"a":1}}'),
    ];
    for (const doc of docs) await assert.rejects(notes.insertOne(unsafe<Note>(doc)), TypeError);
    assert.equal(await notes.countDocuments({}), 0);
  });

  it('throws on an unsupported collection specification', async (t) => {
    const store = openEmbedded({ path: `${aDirectory(t)}/s.db` });
    t.after(() => store.close());
    const index = (index: object) => () =>
      store.collection({ name: 'c', indexes: [{ name: 'i', keys: { a: 1 }, ...index }], arrays: ['tags'] });
    assert.throws(index({ keys: { tags: 1 }, unique: true }), TypeError);
    assert.throws(index({ where: { a: { $in: [1] } } }), TypeError);
    assert.throws(index({ where: { $or: [{ a: 1 }] } }), TypeError);
    assert.throws(index({ name: 'x"; DROP TABLE c' }), TypeError);
    assert.throws(() => store.collection({ name: 'a b', indexes: [] }), TypeError);
  });
});
