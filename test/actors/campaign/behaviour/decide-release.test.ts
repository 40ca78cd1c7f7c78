import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decide, NO_TREND, withoutAudience } from '../../../../actors/campaign/behaviour/decide-release.ts';
import { begun, failed } from '../../../../actors/campaign/behaviour/status-changes.ts';
import type { Snapshot } from '../../../../actors/campaign/protocol.ts';
import { newCampaign } from '../../../../actors/services/campaigns/campaigns.ts';

const NOW = 1_800_000_000_000;
const ROW = newCampaign('t', NOW);
const AT_REST: Omit<Snapshot, 'row'> = {
  ahead: 0,
  hasPending: false,
  blocker: null,
  isStranded: false,
  stuck: null,
  lacksAttestation: false,
  lacksRoom: false,
  isSuspended: false,
  isReady: true,
  window: { open: null, opensAt: null, closesAt: null, isOverrun: false },
  counts: null,
};

it('a due draft starts, or remains a draft with a reason if a required attestation is missing', () => {
  const row = { ...ROW, scheduled_at: NOW };
  const next = (lacksAttestation: boolean, now: number) => decide({ ...AT_REST, row, lacksAttestation }, 20, NO_TREND, now);
  assert.equal(next(true, NOW - 1), null);
  assert.deepEqual(next(false, NOW), { do: 'changeStatus', change: begun(NOW, NOW), isFinal: false });
  const patch = { scheduled_at: null, due_at: null, error: 'consent_attestation_required' };
  assert.deepEqual(next(true, NOW), { do: 'save', status: 'draft', patch });
});

it('a due draft that waits because too many campaigns are running stores the reason only once', () => {
  const next = (error: string | null) =>
    decide({ ...AT_REST, row: { ...ROW, scheduled_at: NOW, error }, lacksRoom: true }, 20, NO_TREND, NOW);
  assert.deepEqual(next(null), { do: 'save', status: 'draft', patch: { error: 'limit_reached' } });
  assert.equal(next('limit_reached'), null);
});

it('a campaign whose audience is deleted fails only if it has not found any recipient yet', () => {
  const running = { ...ROW, status: 'running' as const };
  assert.deepEqual(withoutAudience({ ...running, gathering: '' }, NOW), {
    do: 'changeStatus',
    change: failed('no_audience', NOW),
    isFinal: false,
  });
  assert.deepEqual(withoutAudience({ ...running, gathering: 'c9' }, NOW), { do: 'save', status: 'running', patch: { gathering: null } });
});

it("a suspended tenant's campaigns neither start nor send messages, but can complete", () => {
  const next = (change: Partial<Snapshot>) => decide({ ...AT_REST, row: ROW, isSuspended: true, ...change }, 20, NO_TREND, NOW);
  const running = { ...ROW, status: 'running' as const };
  assert.equal(next({ row: { ...ROW, scheduled_at: NOW } }), null);
  assert.equal(next({ row: running, hasPending: true, blocker: 'device_disconnected' }), null);
  assert.deepEqual(next({ row: running, ahead: 1, window: { ...AT_REST.window, isOverrun: true } }), { do: 'takeBack', row: running });
  assert.equal(next({ row: running })?.do, 'changeStatus');
});
