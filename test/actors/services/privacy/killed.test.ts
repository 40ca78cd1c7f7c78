import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runErasures } from '../../../../scripts/faults/privacy/erasure-run.ts';
import { aDatabase, storesOfKills } from '../../../support/stores.ts';

/** The short form of `npm run faults:privacy`. */
const KILLS = 2;

describe('a gateway that crashes during an erasure', () => {
  for (const { name } of storesOfKills)
    it(`leaves none of the person's text in the database, files, exports or log (${name})`, { timeout: 600_000 }, async (t) => {
      const verdict = await runErasures({ kills: KILLS, mongodbUrl: name === 'mongodb' ? aDatabase(t) : null });
      assert.deepEqual(verdict, { people: 1, erased: 1, kills: KILLS, missing: [], left: [] });
    });
});
