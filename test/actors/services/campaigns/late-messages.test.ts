import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newCampaign } from '../../../../actors/services/campaigns/campaigns.ts';
import { createInTime } from '../../../../actors/services/campaigns/late-messages.ts';
import { recipientOf, UNNAMED } from '../../../../actors/services/campaigns/recipient-rows.ts';
import { withConsent } from '../../../../actors/services/consent/cancel-marketing.ts';
import { campaignMessagesIn } from '../../../../store/campaigns/campaign-messages.ts';
import { recipientsIn } from '../../../../store/campaigns/recipients.ts';
import { type MessageRow, messagesIn } from '../../../../store/messaging/messages.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const NOW = 1_800_000_000_000;
const OWNER = { tenantId: 't', sessionId: 's', epoch: 1 };
const PHONES = ['6281211110001', '6281211110002', '6281211110003'];

async function aLane(scope: Scope, kind: StoreKind) {
  const store = await kind.fresh(scope);
  const [recipients, campaignMessages] = [recipientsIn(store), campaignMessagesIn(store)];
  const inTime = createInTime({ recipients, campaignMessages });
  const messages = withConsent(messagesIn(store), { optedOut: async () => new Set(), inTime });
  await store.prepare();
  const campaign = newCampaign('t', NOW);
  const people = PHONES.map((phone) => recipientOf(campaign, phone, UNNAMED, NOW));
  await recipients.add(people);
  const ids = people.map(({ _id }) => _id);
  await recipients.released(ids, 's', '2027-01:batch');
  const rows = ids.map((_id): MessageRow => aMessageRow({ _id, blast_id: campaign._id, created_at: NOW, quota_month: '2027-01' }));
  return { campaign, recipients, campaignMessages, messages, ids, rows };
}

const idsOf = (rows: readonly MessageRow[]): readonly string[] => rows.map(({ _id }) => _id).sort();

eachStore('campaign messages that are queued late', (kind) => {
  it('are sent if their recipients have not been reclaimed', async (t) => {
    const { campaignMessages, messages, ids, rows } = await aLane(t, kind);
    await campaignMessages.accept(rows);
    assert.deepEqual(idsOf(await messages.claim(OWNER, rows, NOW)), ids.toSorted());
  });

  it('are removed if a new owner has reclaimed their recipients and cancelled the campaign', async (t) => {
    const { campaign, recipients, campaignMessages, messages, ids, rows } = await aLane(t, kind);
    const [kept, ...others] = ids;
    await recipients.takenBack(others);
    await recipients.skipPending(campaign._id, 'cancelled', 1);
    await campaignMessages.accept(rows);
    assert.deepEqual(idsOf(await messages.claim(OWNER, rows, NOW)), [kept]);
    assert.deepEqual(idsOf(await campaignMessages.find(ids)), [kept]);
  });

  it('are sent when retried, even if their recipients have been reclaimed', async (t) => {
    const { recipients, campaignMessages, messages, ids, rows } = await aLane(t, kind);
    await campaignMessages.accept(rows.map((row) => ({ ...row, status: 'failed', error: 'opted_out', rev: 1 })));
    await recipients.takenBack(ids);
    const again: MessageRow[] = [];
    for (const row of rows) again.push((await messages.requeue(row, '2027-01')) ?? row);
    assert.deepEqual(idsOf(await messages.claim(OWNER, again, NOW)), ids.toSorted());
  });
});
