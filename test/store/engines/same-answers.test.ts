import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Random, seededRandom } from '../../../runtime/random.ts';
import type { Collection, CollectionSpec, Condition, Filter, Sort, Update } from '../../../store/port.ts';
import { type Note, noteSpec, notesIn } from '../../support/notes.ts';
import { engines } from '../../support/stores.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const bare: CollectionSpec = { name: 'notes', indexes: [], arrays: ['tags'] };

/** Draws documents, filters, sorts and updates over the same few fields and values, so that they often meet. */
function imagination(random: Random) {
  const upTo = (n: number): number => Math.floor(random() * n);
  const pick = <T>(from: readonly T[]): T => from[upTo(from.length)]!;
  const maybe = <T extends object>(make: () => T): T | object => (random() < 0.6 ? make() : {});
  const scalar = () => pick([-1, 0, 1, 2, 2.5, 1e15, '', '0', '1', 'a', 'b', '\u{1F600}', '{"a":1}', true, false, null]);
  const word = () => pick(['', 'a', 'b', 'waiting', '\uFFEE', '\u{1F600}']);
  const tags = () => Array.from({ length: upTo(4) }, scalar);
  // Adding nothing to nothing, and whether an unchanged array counts as modified, are left to each server.
  const some = () => [scalar(), ...tags()];
  const id = () => `n${upTo(40)}`;

  const note = (_id: string): Note => ({
    _id,
    ...maybe(() => ({ owner: word() })),
    ...maybe(() => ({ rank: scalar() })),
    ...maybe(() => ({ open: random() < 0.5 })),
    ...maybe(() => ({ status: pick(['waiting', 'done']) })),
    ...maybe(() => ({ tags: tags() })),
    ...maybe(() => ({ place: { ...maybe(() => ({ floor: upTo(4) })), ...maybe(() => ({ room: word() })) } })),
  });

  const bound = () => pick([0, 1, 2.5, 'a', '']);
  const condition = (): Condition => {
    const make = pick<() => Condition>([
      () => ({ $eq: scalar() }),
      () => ({ $ne: scalar() }),
      () => ({ $gt: bound() }),
      () => ({ $gte: bound() }),
      () => ({ $lt: bound() }),
      () => ({ $lte: bound() }),
      () => ({ $gt: upTo(2), $lte: 1 + upTo(2) }),
      () => ({ $in: tags() }),
      () => ({ $nin: tags() }),
      () => ({ $exists: random() < 0.5 }),
    ]);
    return make();
  };
  const field = () => pick(['owner', 'rank', 'rank', 'open', 'status', 'tags', 'place.floor', 'place.room', 'none']);
  const term = (): Filter => ({ [field()]: random() < 0.4 ? pick([scalar(), 'waiting', true]) : condition() });
  const terms = (): Filter[] => Array.from({ length: 1 + upTo(3) }, term);
  const filter = (): Filter => {
    const flat: Filter = Object.assign({}, ...terms());
    return pick<() => Filter>([
      () => ({}),
      () => flat,
      () => flat,
      () => ({ ...flat, $or: terms() }),
      () => ({ $and: [...terms(), { $or: terms() }] }),
    ])();
  };
  const sort = (): Sort => ({
    ...pick<Sort>([{}, { owner: 1 }, { 'place.floor': -1 }, { owner: -1, 'place.floor': 1 }]),
    _id: pick([1, -1]),
  });

  const change = (): Update =>
    pick<() => Update>([
      () => ({ $set: { rank: scalar(), status: pick(['waiting', 'done']) } }),
      () => ({ $set: { 'place.floor': upTo(4) }, $unset: { owner: 1 } }),
      () => ({ $unset: { rank: 1, 'place.room': 1 } }),
      () => ({ $inc: { 'place.floor': upTo(3) - 1, visits: 1 } }),
      () => ({ $set: { owner: word(), open: random() < 0.5 } }),
      () => ({ $push: { tags: scalar() } }),
      () => ({ $push: { tags: { $each: some(), $slice: -1 - upTo(3) } } }),
      () => ({ $addToSet: { tags: { $each: some() } } }),
      () => ({ $pull: { tags: pick([1, 'a', true, null]) } }),
    ])();
  /** Rows that are named: an embedded store may know them without asking SQLite. */
  const named = (): Filter => ({ _id: random() < 0.5 ? id() : { $in: [id(), id(), id()] }, ...(random() < 0.8 ? term() : {}) });
  return { random, upTo, pick, id, note, named, filter, sort, change };
}

type Imagination = ReturnType<typeof imagination>;
type Step = (notes: Collection<Note>) => Promise<unknown>;

function aStep({ upTo, pick, id, note, named, filter, sort, change, random }: Imagination): readonly [string, Step] {
  const [where, order, update, fresh] = [filter(), sort(), change(), note(id())];
  const page = { sort: order, limit: upTo(6), skip: upTo(3) };
  const few = named();
  const one = { ...few, _id: fresh._id };
  const byId = { _id: fresh._id, ...(random() < 0.5 && { status: 'waiting' }) };
  const steps: readonly (readonly [string, Step])[] = [
    [`find ${JSON.stringify([where, page])}`, (notes) => notes.find(where, page).toArray()],
    [`find all ${JSON.stringify(where)}`, (notes) => notes.find(where, { sort: { _id: 1 } }).toArray()],
    [`find named ${JSON.stringify(few)}`, async (notes) => (await notes.find(few).toArray()).toSorted(inOrder)],
    [`find one ${JSON.stringify(one)}`, (notes) => notes.findOne(one)],
    [`update named ${JSON.stringify([few, update])}`, async (notes) => (await notes.updateMany(few, update)).matchedCount],
    [`take named ${JSON.stringify([one, update])}`, (notes) => notes.findOneAndUpdate(one, update, { returnDocument: 'before' })],
    [`remove named ${JSON.stringify(one)}`, (notes) => notes.findOneAndDelete(one)],
    [`count ${JSON.stringify(where)}`, (notes) => notes.countDocuments(where)],
    [`insert ${JSON.stringify(fresh)}`, (notes) => notes.insertOne(fresh)],
    [`update ${JSON.stringify([byId, update])}`, async (notes) => (await notes.updateOne(byId, update)).matchedCount],
    [`update many ${JSON.stringify([where, update])}`, async (notes) => (await notes.updateMany(where, update)).matchedCount],
    [
      `take ${JSON.stringify([where, order, update])}`,
      (notes) => notes.findOneAndUpdate(where, update, { sort: order, returnDocument: 'after' }),
    ],
    [
      `upsert ${JSON.stringify([byId, update])}`,
      (notes) => notes.findOneAndUpdate(byId, update, { upsert: true, returnDocument: 'after' }),
    ],
    [`remove ${JSON.stringify(byId)}`, async (notes) => (await notes.deleteOne(byId)).deletedCount],
  ];
  return pick(steps);
}

const inOrder = (a: Note, b: Note): number => (a._id < b._id ? -1 : 1);

/** What a step comes to: its result, or that it was refused, with a duplicate's key. */
async function outcome(step: Step, notes: Collection<Note>): Promise<unknown> {
  try {
    const result = await step(notes);
    return result && typeof result === 'object' && 'insertedId' in result ? 'inserted' : result;
  } catch (cause) {
    return cause instanceof Error && 'keyPattern' in cause ? { duplicate: cause.keyPattern } : 'refused';
  }
}

describe(`identical queries and changes (SEED=${seed})`, () => {
  it('have the same results in every store, with and without indexes', async (t) => {
    console.log(`same-answers: SEED=${seed}`);
    const imagined = imagination(seededRandom(seed));
    const shelf = Array.from({ length: 30 }, (_, i) => imagined.note(`n${i}`));
    const withIndexes = { ...noteSpec, indexes: noteSpec.indexes.filter(({ unique }) => !unique) };
    const all = await Promise.all(engines.flatMap((kind) => [withIndexes, bare].map((spec) => notesIn(kind, t, shelf, spec))));
    for (let i = 0; i < 400; i++) {
      const [name, step] = aStep(imagined);
      const [expected, ...others] = await Promise.all(all.map((notes) => outcome(step, notes)));
      for (const [n, other] of others.entries()) assert.deepEqual(other, expected, `step ${i}, store ${n + 1}: ${name}`);
    }
  });
});
