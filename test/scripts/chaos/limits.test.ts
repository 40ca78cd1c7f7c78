import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { type HttpLimitsRun, runHttpLimits } from '../../../scripts/chaos/limits/over-http.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const mongodbUrl = process.env['MONGODB_URL'] ?? '';
const missing = whatIsMissing();
if (missing) console.log(`${missing}: limits over processes are left out.`);

/** Over within a minute, so that all of it lies in one window. `npm run faults:limits` lives through many, and shows nodes that count apart. */
const SHORT: HttpLimitsRun = { mongodbUrl, seed, nodes: 3, tries: 150, max: 30, everyMs: 100, patient: 0, apart: false };

describe(`a rate-limited key that is used through several node processes (SEED=${seed})`, { skip: missing ?? false }, () => {
  it('is accepted exactly as often as its limit allows', { timeout: 600_000 }, async () => {
    const { passed, overfull, wronged } = await runHttpLimits(SHORT);
    assert.deepEqual({ passed, overfull, wronged }, { passed: SHORT.max, overfull: 0, wronged: 0 });
  });
});

function whatIsMissing(): string | null {
  if (!mongodbUrl) return 'MONGODB_URL is not set';
  return spawnSync('redis-server', ['--version']).error ? 'redis-server is not installed' : null;
}
