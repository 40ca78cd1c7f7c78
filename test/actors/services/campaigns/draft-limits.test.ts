import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newCampaign } from '../../../../actors/services/campaigns/campaigns.ts';
import { type DraftLimitDeps, draftsUsed, withinLimits } from '../../../../actors/services/campaigns/draft-limits.ts';
import { newId } from '../../../../runtime/ids.ts';
import { campaignsIn } from '../../../../store/campaigns/campaigns.ts';
import { draftReservationsIn } from '../../../../store/campaigns/draft-reservations.ts';
import type { Store } from '../../../../store/port.ts';
import { eachStore } from '../../../support/stores.ts';
import { timerless } from '../privacy/jobs-fixture.ts';

const LIMITS = { open_drafts: 3, draft_recipients: 10 };
const NOW = 1_790_000_000_000;
const LONG_AFTER = NOW + 3_600_000;

/** One tenant, whose drafts several nodes store at the same time. The nodes share only the store. */
async function aTenant(store: Store) {
  const campaigns = campaignsIn(store);
  const reservations = draftReservationsIn(store);
  await store.prepare();
  const deps: DraftLimitDeps = { campaigns, reservations, clock: timerless(() => NOW) };
  /** Stores drafts with recipients. If `drafts` is 0, adds the recipients to an existing draft. */
  const put = (drafts: number, recipients: number, now = NOW) =>
    withinLimits(deps, { tenantId: 't', name: newId(now), limits: LIMITS, more: { drafts, recipients }, now }, async () => {
      if (drafts > 0) await campaigns.create({ ...newCampaign('t', now), listed: recipients });
      else await campaigns.noteListed('t', (await campaigns.drafts('t'))[0]!._id, recipients);
    });
  const atOnce = async (count: number, one: () => Promise<unknown>): Promise<Record<string, number>> => {
    const given = await Promise.allSettled(Array.from({ length: count }, one));
    const codes = given.map((result) => (result.status === 'fulfilled' ? 'stored' : result.reason.code));
    return Object.fromEntries([...Map.groupBy(codes, (code) => code)].map(([code, own]) => [code, own.length]));
  };
  return { campaigns, reservations, put, atOnce, used: () => draftsUsed({ campaigns }, 't') };
}

eachStore("a plan's draft limits", (kind) => {
  it('apply to drafts created at the same time on several nodes', async (t) => {
    const { put, atOnce, used } = await aTenant(await kind.fresh(t));
    assert.deepEqual(await atOnce(6, () => put(1, 0)), { stored: 3, LIMIT_REACHED: 3 });
    assert.deepEqual(await used(), { drafts: 3, recipients: 0 });
  });

  it('apply to recipients added at the same time on several nodes', async (t) => {
    const { put, atOnce, used } = await aTenant(await kind.fresh(t));
    await put(1, 0);
    assert.deepEqual(await atOnce(6, () => put(0, 4)), { stored: 2, LIMIT_REACHED: 4 });
    assert.deepEqual(await used(), { drafts: 1, recipients: 8 });
  });

  it('allow a new draft after another one was deleted', async (t) => {
    const { campaigns, put, used } = await aTenant(await kind.fresh(t));
    await put(1, 10);
    await assert.rejects(put(1, 1), { code: 'LIMIT_REACHED' });
    for (const { _id } of await campaigns.drafts('t')) await campaigns.remove('t', _id, ['draft']);
    await put(1, 10);
    assert.deepEqual(await used(), { drafts: 1, recipients: 10 });
  });

  it('allow a new draft some time after a crash left a reservation behind', async (t) => {
    const { reservations, put } = await aTenant(await kind.fresh(t));
    const { rev } = await reservations.reserved('t', NOW);
    assert.ok(await reservations.reserve('t', newId(NOW), { drafts: 1, recipients: 10 }, rev, NOW));
    await assert.rejects(put(1, 1), { code: 'LIMIT_REACHED' });
    await put(1, 10, LONG_AFTER);
  });
});
