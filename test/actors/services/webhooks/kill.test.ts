import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runWebhooks } from '../../../../scripts/faults/webhook-run.ts';
import { atNight, isNight } from '../../../support/night.ts';
import { aDatabase, storesOfKills } from '../../../support/stores.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
/** The short form of `npm run faults:webhooks`. */
const SHORT = { embedded: isNight ? { events: 150, kills: 2 } : { events: 60, kills: 1 }, mongodb: { events: 60, kills: 1 } };

describe(`a gateway that crashes while its receiver refuses, stalls and resets connections (SEED=${seed})`, () => {
  for (const { name } of storesOfKills) {
    it(`eventually delivers every event, under one id and with valid signatures (${name})`, { timeout: 600_000 }, async (t) => {
      const mongodbUrl = name === 'mongodb' ? aDatabase(t) : null;
      const { lost, renamed, badlySigned, requests } = await runWebhooks({ ...SHORT[name], seed, forgetful: false, mongodbUrl });
      assert.deepEqual({ lost, renamed, badlySigned }, { lost: 0, renamed: 0, badlySigned: 0 });
      assert.ok(requests > SHORT[name].events, 'the receiver refused some');
    });
  }

  atNight('webhooks kept in memory only', () => {
    it('lose deliveries on a crash, which proves that this test detects losses', { timeout: 600_000 }, async () => {
      const { lost } = await runWebhooks({ events: 60, kills: 1, seed, forgetful: true, mongodbUrl: null });
      assert.ok(lost > 0);
    });
  });
});
