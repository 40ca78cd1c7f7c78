import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runPayments, STEPS } from '../../../../scripts/faults/billing/payment-run.ts';
import { isNight } from '../../../support/night.ts';
import { aDatabase, storesOfKills } from '../../../support/stores.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
/** The short form of `npm run faults:payments`: these steps, one of another kind each time. */
const KILLS = isNight ? 3 : 2;

describe(`a gateway that crashes during a payment (SEED=${seed})`, () => {
  for (const { name } of storesOfKills)
    it(`changes the plan once, with one invoice number, receipt, event and audit entry (${name})`, { timeout: 600_000 }, async (t) => {
      const from = seed % (2 * STEPS.length);
      const { kills, payments, wrong } = await runPayments({ kills: KILLS, from, mongodbUrl: name === 'mongodb' ? aDatabase(t) : null });
      assert.deepEqual([payments, wrong], [KILLS, []]);
      assert.ok(kills > 0, 'nobody died: this proves nothing');
    });
});
