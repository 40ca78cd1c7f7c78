import type { Collection, CollectionSpec } from '../../store/port.ts';
import type { Scope, StoreKind } from './stores.ts';

/** A neutral record for tests of the store itself. */
export interface Note {
  readonly _id: string;
  readonly owner?: string;
  readonly slot?: string;
  readonly rank?: number | string | boolean | null;
  readonly open?: boolean;
  readonly status?: string;
  readonly tags?: readonly unknown[];
  readonly place?: { readonly floor?: number; readonly room?: string | Record<string, unknown> };
  readonly goneAt?: number;
}

export const noteSpec: CollectionSpec = {
  name: 'notes',
  indexes: [
    { name: 'by_owner', keys: { owner: 1, rank: -1, _id: 1 } },
    { name: 'by_slot', keys: { owner: 1, slot: 1 }, unique: true, where: { slot: { $exists: true } } },
    { name: 'waiting', keys: { owner: 1, rank: 1 }, where: { status: 'waiting' } },
    { name: 'ranked', keys: { rank: 1 }, where: { rank: { $gt: 0 } } },
    { name: 'opened', keys: { open: 1 }, where: { open: true } },
    { name: 'by_floor', keys: { 'place.floor': 1 } },
  ],
  arrays: ['tags'],
  expires: 'goneAt',
};

/** Returns a new store that contains these notes. */
export async function notesIn(kind: StoreKind, scope: Scope, notes: readonly Note[] = [], spec = noteSpec): Promise<Collection<Note>> {
  const store = await kind.fresh(scope);
  const collection = store.collection<Note>(spec);
  await store.prepare();
  if (notes.length > 0) await collection.insertMany(notes);
  return collection;
}

/** Returns the ids that a filter finds, sorted. */
export async function idsOf(notes: Collection<Note>, filter: Parameters<Collection<Note>['find']>[0]): Promise<string> {
  const found = await notes.find(filter).toArray();
  return found
    .map(({ _id }) => _id)
    .sort()
    .join(' ');
}
