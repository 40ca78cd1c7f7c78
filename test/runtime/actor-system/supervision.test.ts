import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideRestart, type RestartPolicy } from '../../../runtime/actor-system/supervision.ts';

const transient: RestartPolicy = { restart: 'transient', atMost: 2, withinMs: 1_000, backoffMs: (failures) => failures * 100 };
const permanent: RestartPolicy = { ...transient, restart: 'permanent' };
const temporary: RestartPolicy = { ...transient, restart: 'temporary' };

const cases = [
  ['stops an actor that ends normally', transient, 'normally', [], 0, { do: 'stop' }],
  ['restarts an actor after its first failure', transient, 'in failure', [], 5, { do: 'restart', afterMs: 100, failures: [5] }],
  ['waits longer after a second failure', transient, 'in failure', [5], 6, { do: 'restart', afterMs: 200, failures: [5, 6] }],
  ['ignores failures that are long past', transient, 'in failure', [0, 1], 2_000, { do: 'restart', afterMs: 100, failures: [2_000] }],
  ['escalates too many failures within a short time', transient, 'in failure', [0, 1], 2, { do: 'escalate' }],
  ['restarts a permanent actor even if it ends normally', permanent, 'normally', [], 7, { do: 'restart', afterMs: 100, failures: [7] }],
  ['stops a temporary actor that ends normally', temporary, 'normally', [], 0, { do: 'stop' }],
  ['escalates the first failure of a temporary actor', temporary, 'in failure', [], 0, { do: 'escalate' }],
] as const;

describe('the restart policy', () => {
  for (const [title, policy, ended, failures, now, verdict] of cases) {
    it(title, () => assert.deepEqual(decideRestart(policy, ended, failures, now), verdict));
  }
});
