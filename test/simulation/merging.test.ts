import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachStore } from '../support/stores.ts';
import { play } from './merging.ts';

/** `npm run check:night` uses 10,000 people (people.ts). */
const PEOPLE = 24;
const SEED = 1;

eachStore('people whose addresses arrive in any order on two nodes', (kind) => {
  it(`stay opted out, and have one chat and one contact each (seed ${SEED})`, async (t) => {
    assert.deepEqual(await play(t, kind, { seed: SEED, people: PEOPLE, rounds: 3 }), []);
  });
});
