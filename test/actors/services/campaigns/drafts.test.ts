import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  addRecipients,
  type CampaignDeps,
  createDraftLists,
  draftCampaign,
  newCampaign,
  removeCampaign,
} from '../../../../actors/services/campaigns/campaigns.ts';
import { newId } from '../../../../runtime/ids.ts';
import { campaignsIn } from '../../../../store/campaigns/campaigns.ts';
import { draftReservationsIn } from '../../../../store/campaigns/draft-reservations.ts';
import { recipientsIn } from '../../../../store/campaigns/recipients.ts';
import type { Store } from '../../../../store/port.ts';
import { interruptedStore } from '../../../support/interrupted-store.ts';
import { eachStore } from '../../../support/stores.ts';

const NOW = 1_790_000_000_000;
const LIMITS = { open_drafts: 3, draft_recipients: 1_000 };
const people = (count: number) => Array.from({ length: count }, (_none, nth) => ({ phone: `+62812${String(10_000_000 + nth)}` }));

/** What drafts are stored with; nobody runs campaigns here. */
function depsOn(store: Store): CampaignDeps {
  const unused = (): never => {
    throw new Error('nothing runs here');
  };
  return {
    campaigns: campaignsIn(store),
    recipients: recipientsIn(store),
    audiences: { exists: unused, count: async () => 0, read: unused, known: unused },
    reservations: draftReservationsIn(store),
    draftLists: createDraftLists(),
    campaign: unused,
  };
}

eachStore('a draft whose list is being stored', (kind) => {
  it('leaves nobody of the list when it is deleted meanwhile', async (t) => {
    const store = await kind.fresh(t);
    const deps = depsOn(store);
    const row = newCampaign('shop', NOW);
    const interrupted = depsOn(interruptedStore(store, { name: 'campaigns', reading: 'findOne' }, () => removeCampaign(deps, row)));
    await store.prepare();
    await deps.campaigns.create(row);
    await assert.rejects(addRecipients(interrupted, row, LIMITS, people(600), '62', NOW), { code: 'CONFLICT' });
    assert.equal((await deps.recipients.counts(row._id)).total_recipients, 0);
  });

  it('is completed, and counted once, by whoever asks for it again after its process died', async (t) => {
    const store = await kind.fresh(t);
    const deps = depsOn(store);
    await store.prepare();
    const draft = { ...newCampaign('shop', NOW), _id: newId(NOW) };
    await deps.campaigns.create(draft);
    await addRecipients(deps, draft, LIMITS, people(250), '62', NOW);
    const { _id } = await draftCampaign(deps, 'shop', { open_drafts: 1, draft_recipients: 600 }, draft, people(600), '62', NOW);
    assert.equal(_id, draft._id);
    assert.equal((await deps.recipients.counts(_id)).total_recipients, 600);
  });
});
