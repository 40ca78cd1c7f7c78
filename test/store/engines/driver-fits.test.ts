import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Collection as DriverCollection } from 'mongodb';
import type { Collection } from '../../../store/port.ts';

interface Note {
  readonly _id: string;
  readonly title: string;
  readonly tags?: readonly string[];
  readonly place: { readonly lat: number; readonly lng: number } | null;
}

it('a MongoDB driver collection can be used as a Collection without a wrapper', () => {
  const asOurs = (driver: DriverCollection<Note>): Collection<Note> => driver;
  assert.equal(typeof asOurs, 'function', 'the compiler is the one who tests this');
});
