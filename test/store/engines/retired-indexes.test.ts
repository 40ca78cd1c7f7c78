import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type CollectionSpec, type Doc, isDuplicateKey } from '../../../store/port.ts';
import { storeHooksSpec } from '../../../store/store-links/hooks.ts';
import { storeLinksSpec } from '../../../store/store-links/links.ts';
import { storeMemorySpec } from '../../../store/store-links/memory.ts';
import { engines } from '../../support/stores.ts';

interface Shelf extends Doc {
  readonly owner: string;
  readonly slot: number;
  readonly name: string;
}

const byName = { name: 'by_name', keys: { name: 1 }, unique: true } as const;
const before: CollectionSpec = { name: 'shelves', indexes: [{ name: 'slot', keys: { owner: 1, slot: 1 }, unique: true }, byName] };
const after: CollectionSpec = { name: 'shelves', indexes: [byName], retired: ['slot', 'never_there'] };

// The embedded store drops whatever its specs do not name (embedded-file.test.ts).
for (const kind of engines.filter(({ name }) => name === 'mongodb')) {
  it('retired indexes are no longer enforced, and other indexes are kept', async (t) => {
    const store = await kind.fresh(t);
    const old = store.collection<Shelf>(before);
    await store.prepare();
    await old.insertOne({ _id: 'a', owner: 'x', slot: 1, name: 'one' });
    await assert.rejects(old.insertOne({ _id: 'b', owner: 'x', slot: 1, name: 'two' }), isDuplicateKey);
    const own = store.collection<Shelf>(after);
    // Every node prepares the store when it starts, and nodes may start together.
    await Promise.all([store.prepare(), store.prepare()]);
    await store.prepare();
    await own.insertOne({ _id: 'b', owner: 'x', slot: 1, name: 'two' });
    await assert.rejects(own.insertOne({ _id: 'c', owner: 'x', slot: 2, name: 'two' }), isDuplicateKey);
  });

  it('indexes that are declared as both wanted and retired are rejected', async (t) => {
    const store = await kind.fresh(t);
    store.collection<Shelf>({ ...after, retired: ['by_name'] });
    await assert.rejects(store.prepare(), /both wanted and retired/);
  });
}

it('former indexes of store links, store records and store webhooks are retired', () => {
  assert.deepEqual([storeLinksSpec.retired, storeMemorySpec.retired, storeHooksSpec.retired], [['slot'], ['by_kind'], ['newest']]);
});
