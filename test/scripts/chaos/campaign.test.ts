import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { MOMENTS } from '../../../scripts/chaos/campaign-kills.ts';
import { campaignRun } from '../../../scripts/chaos/campaign-run.ts';
import { atNight } from '../../support/night.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const mongodbUrl = process.env['MONGODB_URL'] ?? '';
const missing = whatIsMissing();
if (missing) console.log(`${missing}: the campaign on dying nodes is left out.`);

describe(`a campaign on three nodes that are killed in turn (SEED=${seed})`, { skip: missing ?? false }, () => {
  it('reaches every recipient exactly once, with correct counts', { timeout: 600_000 }, async () => {
    const verdict = await campaignRun({ mongodbUrl, seed, guard: 'on', recipients: 150, kills: 2, everyMs: 500, moments: MOMENTS });
    const { lost, doubled, miscounted, endedAfterMs } = verdict;
    assert.deepEqual({ lost, doubled, miscounted }, { lost: 0, doubled: 0, miscounted: 0 }, JSON.stringify(verdict));
    assert.notEqual(endedAfterMs, null);
    assert.ok(verdict.kills > 0);
  });

  atNight('a campaign with a new network id for every transmission', () => {
    it('sends to some recipients twice if every transmission has a new network id', { timeout: 600_000 }, async () => {
      const short = { recipients: 150, kills: 1, everyMs: 200, moments: ['in-mid-air'], nodes: 2 } as const;
      const verdict = await campaignRun({ mongodbUrl, seed, guard: 'fresh-ids', ...short });
      assert.ok(verdict.doubled > 0, JSON.stringify(verdict));
    });
  });
});

function whatIsMissing(): string | null {
  if (!mongodbUrl) return 'MONGODB_URL is not set';
  return spawnSync('redis-server', ['--version']).error ? 'redis-server is not installed' : null;
}
