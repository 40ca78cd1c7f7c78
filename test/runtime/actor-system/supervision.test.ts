import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideRestart, type RestartPolicy } from '../../../runtime/actor-system/supervision.ts';

const transient: RestartPolicy = { restart: 'transient', atMost: 2, withinMs: 1_000, backoffMs: (failures) => failures * 100 };
const permanent: RestartPolicy = { ...transient, restart: 'permanent' };
const temporary: RestartPolicy = { ...transient, restart: 'temporary' };

const cases = [
  ['a clean end is final', transient, 'normally', [], 0, { do: 'stop' }],
  ['a first failure restarts', transient, 'in failure', [], 5, { do: 'restart', afterMs: 100, failures: [5] }],
  ['a second one waits longer', transient, 'in failure', [5], 6, { do: 'restart', afterMs: 200, failures: [5, 6] }],
  ['old failures are forgotten', transient, 'in failure', [0, 1], 2_000, { do: 'restart', afterMs: 100, failures: [2_000] }],
  ['too many too fast are not mended', transient, 'in failure', [0, 1], 2, { do: 'escalate' }],
  ['a permanent actor starts again even after a clean end', permanent, 'normally', [], 7, { do: 'restart', afterMs: 100, failures: [7] }],
  ['a temporary one ends cleanly', temporary, 'normally', [], 0, { do: 'stop' }],
  ['a temporary one is given up at its first failure', temporary, 'in failure', [], 0, { do: 'escalate' }],
] as const;

describe('the restart policy', () => {
  for (const [title, policy, ended, failures, now, verdict] of cases) {
    it(title, () => assert.deepEqual(decideRestart(policy, ended, failures, now), verdict));
  }
});
