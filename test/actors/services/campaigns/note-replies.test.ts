import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newCampaign } from '../../../../actors/services/campaigns/campaigns.ts';
import { noteReplies } from '../../../../actors/services/campaigns/note-replies.ts';
import { recipientOf, UNNAMED } from '../../../../actors/services/campaigns/recipient-rows.ts';
import { campaignMessagesIn } from '../../../../store/campaigns/campaign-messages.ts';
import { recipientsIn } from '../../../../store/campaigns/recipients.ts';
import type { MessageRow } from '../../../../store/messaging/messages.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { eachStore } from '../../../support/stores.ts';

const HOUR = 3_600_000;
const NOW = 1_800_000_000_000;
const PHONE = '6281211110001';

eachStore('an incoming message after a campaign', (kind) => {
  it('counts as a reply only within 72 hours, only in the same chat, and only once per campaign', async (t) => {
    const store = await kind.fresh(t);
    const [recipients, campaignMessages] = [recipientsIn(store), campaignMessagesIn(store)];
    const campaigns = [newCampaign('t', NOW), newCampaign('t', NOW + 1)];
    const rows = campaigns.map((campaign) => recipientOf(campaign, PHONE, UNNAMED, NOW));
    await recipients.add(rows);
    const sentAt = [NOW, NOW + 48 * HOUR];
    await campaignMessages.accept(
      rows.map(({ _id, blast_id }, nth) => aMessageRow({ _id, blast_id, created_at: NOW, status: 'sent', sent_at: sentAt[nth] ?? null })),
    );
    const hinted: string[] = [];
    const listeners = { of: async () => (body: string) => (body === 'STOP' ? ('opted_out' as const) : null) };
    const handler = noteReplies({ recipients, campaignMessages, listeners, hint: (_tenantId, id) => void hinted.push(id) });
    const follow = async (row: MessageRow): Promise<void> => {
      const plan = await handler.plan([row]);
      if (!plan || !('writes' in plan)) return;
      for (const write of plan.writes) await write();
      plan.stored?.();
    };
    const written = (hours: number, body: string, more: Partial<MessageRow> = {}) =>
      follow({
        ...aMessageRow({ _id: `i${hours}`, direction: 'inbound', status: 'delivered', created_at: NOW + hours * HOUR, body }),
        ...more,
      });
    const answers = async () =>
      (await recipients.named(campaigns[0]!._id, [PHONE]))
        .concat(await recipients.named(campaigns[1]!._id, [PHONE]))
        .map(({ replied_at, opted_out_at }) => [replied_at ?? null, opted_out_at ?? null]);

    const nothing = [null, null];
    await written(-1, 'before it');
    await written(1, 'in another chat', { chat_id: '6281211110002@s.whatsapp.net' });
    await written(1, '👍', { message_type: 'reaction' });
    assert.deepEqual([await answers(), hinted], [[nothing, nothing], []]);
    await written(72.1, 'STOP');
    assert.deepEqual(await answers(), [nothing, [null, NOW + 72.1 * HOUR]], 'too late for the first, in time for the second');
    await written(2, 'Hello');
    await written(3, 'STOP');
    assert.deepEqual(await answers(), [
      [NOW + 2 * HOUR, null],
      [null, NOW + 72.1 * HOUR],
    ]);
    assert.deepEqual(hinted, [campaigns[1]!._id, campaigns[0]!._id]);
  });
});
