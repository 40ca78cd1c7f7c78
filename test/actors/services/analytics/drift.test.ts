import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runDrift } from '../../../support/analytics/run.ts';
import { eachStore } from '../../../support/stores.ts';

/** A server takes many times as long; `npm run faults:analytics` is the long form. */
const DEATHS = { embedded: 40, mongodb: 8 };
const SEED = Number(process.env['SEED'] ?? 18);

eachStore("a device's figures after repeated crashes", (kind) => {
  it('match the message log, even in time zones with 15-minute offsets and a clock change', async (t) => {
    const run = { store: await kind.fresh(t), deaths: DEATHS[kind.name], seed: SEED, counting: 'recounts' } as const;
    const { wrong, deaths, messages } = await runDrift(run);
    assert.deepEqual(wrong, []);
    assert.ok(deaths === DEATHS[kind.name] && messages > deaths, `${messages} messages`);
  });

  it('differ from the message log in a test variant that adds to counts instead of recounting', async (t) => {
    const run = { store: await kind.fresh(t), deaths: DEATHS[kind.name], seed: SEED, counting: 'increments' } as const;
    assert.ok((await runDrift(run)).wrong.length > 0);
  });
});
