import { groupsOf } from '../../../runtime/groups.ts';
import type { Recipients } from '../../../store/campaigns/recipients.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { OutboxHandler } from '../messaging/outbox-processor.ts';
import { isOut, outcomeOf } from './outcomes.ts';

export function updateRecipients(
  recipients: Pick<Recipients, 'cameOut'>,
  hint: (tenantId: string, campaignId: string) => void,
): OutboxHandler {
  return {
    name: 'recipients',
    plan(rows) {
      const own = rows.filter((row): row is MessageRow & { blast_id: string } => row.blast_id !== undefined);
      if (own.length === 0) return null;
      const campaigns = [...groupsOf(own, ({ blast_id }) => blast_id)].map(([campaignId, messages]) => {
        const outcomes = messages.map(outcomeOf).filter(isOut);
        let counted = 0;
        return {
          async write() {
            counted = await recipients.cameOut(outcomes);
          },
          stored() {
            if (counted > 0) hint(messages[0].tenant_id, campaignId);
          },
        };
      });
      return {
        writes: campaigns.map(({ write }) => write),
        stored() {
          for (const { stored } of campaigns) stored();
        },
      };
    },
  };
}
