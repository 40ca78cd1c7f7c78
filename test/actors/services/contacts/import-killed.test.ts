import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runImport } from '../../../../scripts/faults/import-run.ts';
import { isNight } from '../../../support/night.ts';
import { aDatabase, storesOfKills } from '../../../support/stores.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
/** The short form of `npm run faults:import`. */
const SHORT = { embedded: isNight ? { rows: 2_500, kills: 2 } : { rows: 1_000, kills: 1 }, mongodb: { rows: 1_000, kills: 1 } };
const AS_IN_THE_FILE = { missing: 0, strangers: 0, misnamed: 0, misremembered: 0, miscounted: [] };

describe(`a gateway that crashes while it imports a file (SEED=${seed})`, () => {
  for (const { name } of storesOfKills) {
    it(`imports each valid row once, and reports each invalid row once (${name})`, { timeout: 600_000 }, async (t) => {
      const mongodbUrl = name === 'mongodb' ? aDatabase(t) : null;
      const { rows, kills, ...verdict } = await runImport({ ...SHORT[name], seed, mongodbUrl });
      assert.deepEqual([rows, verdict], [SHORT[name].rows, AS_IN_THE_FILE], `${kills} kills`);
    });
  }
});
