import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seededChance } from '../../../../runtime/chance.ts';
import { killRun } from './run.ts';
import { gatewaySilence } from './silence.ts';

it('a gateway on the real protocol that is killed loses nothing, doubles nothing and uses no key twice', async () => {
  const plan = { points: ['after-secrets', 'before-wire', 'heard'] as const, kills: 1, chance: seededChance(3), mongodbUrl: null };
  const { kills, answered, written, askedAgain: _, ...wrong } = await killRun(plan);
  assert.deepEqual(wrong, { lost: 0, doubled: 0, inboundLost: 0, inboundDoubled: 0, violations: [] });
  assert.ok(kills === 3 && answered > 0 && written > 0);
});

it('of what a gateway accepted while the network was silent and then cut nothing is lost', async () => {
  const { accepted, lost, doubled } = await gatewaySilence(60, null);
  assert.deepEqual([accepted, lost, doubled], [60, 0, 0]);
});
