import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  addRecipients,
  type CampaignDeps,
  counted,
  createDraftLists,
  draftCampaign,
  newCampaign,
  removeCampaign,
} from '../../../../actors/services/campaigns/campaigns.ts';
import { BY_FORM_ALONE } from '../../../../actors/services/identities/number-reader.ts';
import { createPersonReader } from '../../../../actors/services/identities/person-reader.ts';
import { newId } from '../../../../runtime/ids.ts';
import { campaignMessagesIn } from '../../../../store/campaigns/campaign-messages.ts';
import { campaignMove } from '../../../../store/campaigns/campaign-status.ts';
import { campaignsIn } from '../../../../store/campaigns/campaigns.ts';
import { draftReservationsIn } from '../../../../store/campaigns/draft-reservations.ts';
import { recipientsIn } from '../../../../store/campaigns/recipients.ts';
import type { Store } from '../../../../store/port.ts';
import { interruptedStore } from '../../../support/interrupted-store.ts';
import { mortalStore } from '../../../support/mortal-store.ts';
import { eachStore } from '../../../support/stores.ts';
import { timerless } from '../privacy/jobs-fixture.ts';

const NOW = 1_790_000_000_000;
const LIMITS = { open_drafts: 3, draft_recipients: 1_000 };
const AT_HOME = { callingCode: '62' };
const people = (count: number) => Array.from({ length: count }, (_none, nth) => ({ phone: `+62812${String(10_000_000 + nth)}` }));

/** What drafts are stored with; nobody runs campaigns here. */
function depsOn(store: Store): CampaignDeps {
  const unused = (): never => {
    throw new Error('nothing runs here');
  };
  return {
    campaigns: campaignsIn(store),
    recipients: recipientsIn(store),
    campaignMessages: campaignMessagesIn(store),
    usage: { closeBatch: unused },
    quota: { giveBack: unused },
    audiences: { named: unused, tagIds: unused, tagged: unused, tagNames: unused, count: async () => 0, read: unused, known: unused },
    reservations: draftReservationsIn(store),
    clock: timerless(() => NOW),
    draftLists: createDraftLists(),
    personReader: createPersonReader({
      numbers: BY_FORM_ALONE,
      people: { phonesOf: async () => new Map() },
      contacts: { byUsernames: async () => [] },
    }),
    campaign: unused,
  };
}

eachStore('a draft whose recipients are being stored', (kind) => {
  it('leaves no recipients behind if it is deleted in the meantime', async (t) => {
    const store = await kind.fresh(t);
    const deps = depsOn(store);
    const row = newCampaign('shop', NOW);
    const interrupted = depsOn(interruptedStore(store, { name: 'campaigns', reading: 'findOne' }, () => removeCampaign(deps, row, NOW)));
    await store.prepare();
    await deps.campaigns.create(row);
    await assert.rejects(addRecipients(interrupted, row, LIMITS, people(600), AT_HOME, NOW), { code: 'CONFLICT' });
    assert.equal((await deps.recipients.counts(row._id, row.status)).total_recipients, 0);
  });

  it('is completed by repeating the call after a crash, and its recipients are counted once', async (t) => {
    const store = await kind.fresh(t);
    const deps = depsOn(store);
    await store.prepare();
    const draft = { ...newCampaign('shop', NOW), _id: newId(NOW) };
    await deps.campaigns.create(draft);
    await addRecipients(deps, draft, LIMITS, people(250), AT_HOME, NOW);
    const { _id } = await draftCampaign(deps, 'shop', { open_drafts: 1, draft_recipients: 600 }, draft, people(600), AT_HOME, NOW);
    assert.equal(_id, draft._id);
    assert.equal((await deps.recipients.counts(_id, 'draft')).total_recipients, 600);
  });
});

/** Three people in a draft, as it was read before it is deleted. */
async function aDraftOn(store: Store) {
  const deps = depsOn(store);
  await store.prepare();
  const row = newCampaign('shop', NOW);
  await deps.campaigns.create(row);
  await addRecipients(deps, row, LIMITS, people(3), AT_HOME, NOW);
  /** As its actor does it, for a caller or because its time has come. */
  async function start(): Promise<boolean> {
    const { epoch } = (await deps.campaigns.own('shop', row._id, 'n1'))!;
    const owner = { tenantId: 'shop', campaignId: row._id, epoch };
    return (await deps.campaigns.move(owner, campaignMove('running', 'draft'), {})) !== null;
  }
  const listed = async () => (await deps.recipients.counts(row._id, row.status)).total_recipients;
  return { deps, row, start, listed };
}

eachStore("a draft's recount", (kind) => {
  it('does not overwrite the counts of a campaign that has started in the meantime', async (t) => {
    const store = await kind.fresh(t);
    const { deps, row, start } = await aDraftOn(store);
    const run = { total_recipients: 3, sent_count: 2, failed_count: 0, skipped_count: 0 };
    const begins = async () => {
      assert.equal(await start(), true);
      const { epoch } = (await deps.campaigns.find('shop', row._id))!;
      await deps.campaigns.write({ tenantId: 'shop', campaignId: row._id, epoch }, 'running', run);
    };
    const interrupted = depsOn(interruptedStore(store, { name: 'campaign_recipients', reading: 'countDocuments' }, begins));
    await counted(interrupted, row, NOW);
    const { status, sent_count } = (await deps.campaigns.find('shop', row._id))!;
    assert.deepEqual([status, sent_count], ['running', 2]);
  });
});

eachStore('a draft whose deletion has begun', (kind) => {
  it('is kept with its recipients if its campaign has started in the meantime', async (t) => {
    const { deps, row, start, listed } = await aDraftOn(await kind.fresh(t));
    assert.equal(await start(), true);
    await assert.rejects(removeCampaign(deps, row, NOW), { code: 'CONFLICT' });
    assert.equal(await listed(), 3);
  });

  it('cannot be started while its recipients are being removed', async (t) => {
    const { deps, row, start, listed } = await aDraftOn(await kind.fresh(t));
    const started: boolean[] = [];
    const removeAll = async (id: string) => {
      started.push(await start().catch(() => false));
      await deps.recipients.removeAll(id);
    };
    await removeCampaign({ ...deps, recipients: { ...deps.recipients, removeAll } }, row, NOW);
    assert.deepEqual(new Set(started), new Set([false]));
    assert.deepEqual([await deps.campaigns.find('shop', row._id), await listed()], [null, 0]);
  });

  for (const isMade of [false, true])
    it(`is deleted completely when the call is repeated after a crash ${isMade ? 'after' : 'before'} any write`, async (t) => {
      for (let write = 1; ; write += 1) {
        const store = await kind.fresh(t);
        const { deps, row, start, listed } = await aDraftOn(store);
        const mortal = mortalStore(store, { write, isMade });
        await removeCampaign(depsOn(mortal.store), row, NOW).catch(() => undefined);
        if (!mortal.isDead()) break;
        const left = await deps.campaigns.find('shop', row._id);
        if (left && (await listed()) < 3) assert.equal(await start(), false, `half of it began at write ${write}`);
        if (left) await removeCampaign(deps, left, NOW);
        assert.deepEqual([await deps.campaigns.find('shop', row._id), await listed()], [null, 0], `at write ${write}`);
      }
    });
});
