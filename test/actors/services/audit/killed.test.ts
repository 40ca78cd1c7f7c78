import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runAudit } from '../../../../scripts/faults/audit-run.ts';
import { isNight } from '../../../support/night.ts';
import { aDatabase, storesOfKills } from '../../../support/stores.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
/** The short form of `npm run faults:audit`, and of a run of the night. */
const KILLS = isNight ? 5 : 2;

describe(`a gateway that crashes between actions and their audit entries (SEED=${seed})`, () => {
  for (const { name } of storesOfKills)
    it(`records each action once (${name})`, { timeout: 600_000 }, async (t) => {
      const { acts, ...verdict } = await runAudit({ kills: KILLS, seed, mongodbUrl: name === 'mongodb' ? aDatabase(t) : null });
      assert.deepEqual(verdict, { kills: KILLS, missing: 0, twice: 0, untrue: 0, verified: true });
      assert.ok(acts >= KILLS);
    });
});
