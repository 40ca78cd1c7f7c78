import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { reportOf } from '../../../scripts/endurance/report.ts';
import { enduranceRun } from '../../../scripts/endurance/run.ts';
import { violationsIn } from '../../../scripts/endurance/verdict.ts';
import { atNight } from '../../support/night.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const mongodbUrl = process.env['MONGODB_URL'] ?? '';
const missing = whatIsMissing();
if (missing) console.log(`${missing}: the short endurance run is left out.`);

const WARMING = { part: 1, slack: 200_000_000 };
const FEW = { part: 1, slack: 300 };
/** While nodes warm up all of these grow, but not as timers do that nobody clears. */
const BOUNDS = { heap: WARMING, rss: WARMING, handles: FEW, files: FEW, redisKeys: FEW, timers: { part: 0.1, slack: 1_000 } };

// The storm of faults alone runs for each change (test/scripts/chaos/chaos.test.ts), and what the verdict sees is told in verdict.test.ts.
atNight('the short endurance run', () => {
  describe(`a cluster on both networks under faults (SEED=${seed})`, { skip: missing ?? false }, () => {
    it('neither loses nor duplicates messages, and a leaked timer and a lost webhook are detected', { timeout: 900_000 }, async () => {
      const result = await enduranceRun({
        mongodbUrl,
        seed,
        devices: 4,
        seconds: 10,
        rates: { sends: 4, writes: 2, campaignEveryMs: 6_000 },
        sampleEveryMs: 1_000,
        calmMs: 4_000,
        badPart: 0,
        settlesWithinMs: 300_000,
        ttlMs: 5_000,
        bounds: BOUNDS,
        plants: { leak: 'timer', forgets: 1 },
      });
      const report = reportOf(result, { minutes: 0, rate: 4, devices: 4, seed });
      const wrong = violationsIn(result.verdict);
      assert.deepEqual(wrong, ['webhooksLost: 1', 'timers of n1#1 grows'], report);
    });
  });
});

function whatIsMissing(): string | null {
  if (!mongodbUrl) return 'MONGODB_URL is not set';
  return spawnSync('redis-server', ['--version']).error ? 'redis-server is not installed' : null;
}
