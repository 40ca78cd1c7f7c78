import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Filter } from '../../../store/port.ts';
import { idsOf, type Note, noteSpec, notesIn } from '../../support/notes.ts';
import { eachEngine } from '../../support/stores.ts';

const shelf: readonly Note[] = [
  { _id: 'a', owner: 'ann', rank: 1, open: true, status: 'waiting', tags: ['red', 'round'], place: { floor: 1, room: 'x' } },
  { _id: 'b', owner: 'ann', rank: 2, open: false, status: 'done', tags: ['red', 7, null] },
  { _id: 'c', owner: 'bob', rank: '2', status: 'waiting', tags: [], place: { floor: 2 } },
  { _id: 'd', owner: 'bob', rank: true, open: true, place: { room: { hostSlot: 'left' } } },
  { _id: 'e', rank: null, status: 'waiting', tags: ['1', true] },
];

const questions: readonly (readonly [string, Filter, string])[] = [
  ['a value of the same type', { rank: 2 }, 'b'],
  ['a string, not the number it spells', { rank: '2' }, 'c'],
  ['true, not 1', { rank: true }, 'd'],
  ['1, not true', { rank: 1 }, 'a'],
  ['false', { open: false }, 'b'],
  ['a dotted path', { 'place.floor': 2 }, 'c'],
  ['not the text of an object', { 'place.room': '{"door":"left"}' }, ''],
  ['two fields at once', { owner: 'bob', 'place.floor': 2 }, 'c'],
  ['null: a null or a missing field', { rank: null }, 'e'],
  ['null on a field that most lack', { owner: null }, 'e'],
  ['$ne: missing fields too', { owner: { $ne: 'ann' } }, 'c d e'],
  ['$ne null: what has a value', { owner: { $ne: null } }, 'a b c d'],
  ['$gt within numbers only', { rank: { $gt: 0 } }, 'a b'],
  ['$gt within a partial index', { rank: { $gt: 1 } }, 'b'],
  ['$gte and $lt together', { rank: { $gte: 1, $lt: 2 } }, 'a'],
  ['$lte within numbers only', { rank: { $lte: 100 } }, 'a b'],
  ['$lt within strings only', { rank: { $lt: '3' } }, 'c'],
  ['$gte within strings only', { rank: { $gte: '' } }, 'c'],
  ['$in', { owner: { $in: ['bob', 'cat', 'dan'] } }, 'c d'],
  ['$in with null', { owner: { $in: ['bob', null] } }, 'c d e'],
  ['$in nothing', { owner: { $in: [] } }, ''],
  ['$nin', { owner: { $nin: ['ann'] } }, 'c d e'],
  ['$nin with null', { owner: { $nin: ['ann', null] } }, 'c d'],
  ['$nin nothing', { owner: { $nin: [] } }, 'a b c d e'],
  ['$exists: an explicit null exists', { rank: { $exists: true } }, 'a b c d e'],
  ['$exists false', { 'place.floor': { $exists: false } }, 'b d e'],
  ['$or', { $or: [{ owner: 'ann', rank: 2 }, { status: 'waiting' }] }, 'a b c e'],
  ['$or beside a field', { status: 'waiting', $or: [{ rank: 1 }, { rank: null }] }, 'a e'],
  ['$and', { $and: [{ status: 'waiting' }, { rank: { $ne: 1 } }] }, 'c e'],
  ['an array that holds it', { tags: 'red' }, 'a b'],
  ['a number in an array', { tags: 7 }, 'b'],
  ['true in an array, not "1"', { tags: true }, 'e'],
  ['an array that holds one of them', { tags: { $in: ['round', '1'] } }, 'a e'],
  ['an array that holds it not', { tags: { $ne: 'red' } }, 'c d e'],
  ['an array that holds none of them', { tags: { $nin: ['red', '1'] } }, 'c d'],
  ['an array with null, or none', { tags: null }, 'b d'],
  ['an array with something greater', { tags: { $gt: 5 } }, 'b'],
  ['ids in a range', { _id: { $gt: 'b', $lte: 'd' } }, 'c d'],
  ['ids in a list', { _id: { $in: ['a', 'zz', 'e'] }, status: 'waiting' }, 'a e'],
  ['an array that is the same as a whole', { tags: { $eq: ['red', 7, null] } }, 'b'],
  ['not one with its items in another order', { tags: { $eq: ['round', 'red'] } }, ''],
  ['an object that is the same as a whole', { place: { $eq: { floor: 2 } } }, 'c'],
  ['not one that has more', { place: { $eq: { floor: 1 } } }, ''],
  ['everything', {}, 'a b c d e'],
];

eachEngine('a filter', (kind) => {
  it('finds the matching documents for each kind of query', async (t) => {
    const notes = await notesIn(kind, t, shelf);
    for (const [name, filter, ids] of questions) {
      assert.equal(await idsOf(notes, filter), ids, name);
      assert.equal(await notes.countDocuments(filter), ids === '' ? 0 : ids.split(' ').length, `counting ${name}`);
      const stepped: string[] = [];
      for await (const { _id } of notes.find(filter, { batchSize: 2 })) stepped.push(_id);
      assert.equal(stepped.sort().join(' '), ids, `stepping through ${name}`);
    }
  });

  it('finds the same documents without indexes', async (t) => {
    const notes = await notesIn(kind, t, shelf, { name: 'notes', indexes: [], arrays: ['tags'] });
    for (const [name, filter, ids] of questions) assert.equal(await idsOf(notes, filter), ids, name);
  });

  it('finds the same documents with an index on array items', async (t) => {
    const notes = await notesIn(kind, t, shelf, {
      ...noteSpec,
      indexes: [...noteSpec.indexes, { name: 'tagged', keys: { owner: 1, tags: 1 } }],
    });
    for (const [name, filter, ids] of questions) assert.equal(await idsOf(notes, filter), ids, name);
  });
});

eachEngine('a query', (kind) => {
  it('sorts by several fields, and supports skip and limit', async (t) => {
    const notes = await notesIn(
      kind,
      t,
      [...'dbeac'].map((_id, i) => ({ _id, owner: i % 2 ? 'odd' : 'even', rank: i })),
    );
    const page = async (skip: number) => {
      const found = await notes.find({}, { sort: { owner: -1, rank: -1 }, skip, limit: 2 }).toArray();
      return found.map(({ _id }) => _id).join('');
    };
    assert.deepEqual([await page(0), await page(2), await page(4)], ['ab', 'ce', 'd']);
    assert.equal((await notes.findOne({ owner: 'even' }, { sort: { rank: -1 } }))?._id, 'c');
    assert.equal(await notes.countDocuments({}, { limit: 3 }), 3);
  });

  it('sorts missing values first, and strings by code point', async (t) => {
    const words = ['z', '\u{1F600}', '\uFFEE', 'é', 'Z', ''];
    const notes = await notesIn(kind, t, [{ _id: 'none' }, ...words.map((owner, i) => ({ _id: String(i), owner }))]);
    const found = await notes.find({}, { sort: { owner: 1 } }).toArray();
    assert.deepEqual(
      found.map(({ owner }) => owner),
      [undefined, '', 'Z', 'z', 'é', '\uFFEE', '\u{1F600}'],
    );
  });

  it('returns only the requested fields', async (t) => {
    const notes = await notesIn(kind, t, [{ _id: 'a', owner: 'ann', rank: 1, place: { floor: 1, room: 'x' } }]);
    const seen = (projection: Record<string, 0 | 1>) => notes.findOne({}, { projection });
    assert.deepEqual(await seen({ rank: 1 }), { _id: 'a', rank: 1 });
    assert.deepEqual(await seen({ _id: 0, 'place.room': 1 }), { place: { room: 'x' } });
    assert.deepEqual(await seen({ rank: 0, 'place.floor': 0 }), { _id: 'a', owner: 'ann', place: { room: 'x' } });
    assert.deepEqual(await seen({ _id: 0, owner: 0, place: 0 }), { rank: 1 });
    assert.deepEqual(await notes.find({}, { projection: { _id: 1 } }).toArray(), [{ _id: 'a' }]);
  });

  it('returns the exact values of indexed fields, including missing, null and true', async (t) => {
    const all: readonly Note[] = [
      { _id: 'a', owner: 'ann', rank: 1, place: { floor: 2 } },
      { _id: 'b', owner: 'ann', rank: null },
      { _id: 'c', owner: 'ann', place: {} },
      { _id: 'd', owner: 'ann', rank: true },
      { _id: 'e', owner: 'ann', rank: '1', place: { floor: 0 } },
    ];
    const notes = await notesIn(kind, t, all);
    const find = (projection: Record<string, 0 | 1>) => notes.find({ owner: 'ann' }, { sort: { _id: 1 }, projection }).toArray();
    assert.deepEqual(
      await find({ owner: 1, rank: 1 }),
      all.map(({ place: _, ...rest }) => rest),
    );
    assert.deepEqual(await find({ owner: 1, _id: 0 }), Array(all.length).fill({ owner: 'ann' }));
    assert.deepEqual(await notes.find({ rank: { $gt: 0 }, owner: 'ann' }, { projection: { 'place.floor': 1 } }).toArray(), [
      { _id: 'a', place: { floor: 2 } },
    ]);
  });

  it('iterates over several pages in order', async (t) => {
    const all = Array.from({ length: 450 }, (_, i) => ({ _id: `n${i}`, owner: 'ann', rank: i }));
    const notes = await notesIn(kind, t, all);
    const seen: unknown[] = [];
    for await (const { rank } of notes.find({ owner: 'ann' }, { sort: { rank: -1 }, limit: 420 })) seen.push(rank);
    assert.deepEqual(
      seen,
      Array.from({ length: 420 }, (_, i) => 449 - i),
    );
  });

  it('iterates over each document once in id order, even while others are added and removed', async (t) => {
    const named = (n: number) => ({ _id: `n${String(n).padStart(3, '0')}`, owner: n % 2 ? 'ann' : 'ben', rank: n });
    const notes = await notesIn(
      kind,
      t,
      Array.from({ length: 300 }, (_, n) => named(n)),
    );
    const seen: string[] = [];
    for await (const { _id } of notes.find({ owner: 'ann' }, { sort: { _id: 1 }, projection: { _id: 1 }, batchSize: 20 })) {
      seen.push(_id);
      if (seen.length === 30) await notes.insertOne({ ...named(3), _id: 'n0021' });
      if (seen.length === 40) await notes.deleteMany({ rank: { $lt: 10 } });
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 150 }, (_, n) => named(2 * n + 1)._id),
    );
  });
});
