import type { CampaignMessages } from '../../../store/campaigns/campaign-messages.ts';
import type { Recipients } from '../../../store/campaigns/recipients.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';

export interface LateMessagesDeps {
  readonly recipients: Pick<Recipients, 'unmarked'>;
  readonly campaignMessages: Pick<CampaignMessages, 'withdraw'>;
}

/**
 * Removes campaign messages that were stored too late. If a node pauses while it stores a batch, it
 * may lose the campaign. The next owner then refunds the batch and removes the marks of its
 * recipients. A recipient is always marked before the message is stored, so a new message for a
 * recipient without a mark is late. Such a message is not sent, and its quota is not refunded
 * again.
 */

export const createInTime =
  ({ recipients, campaignMessages }: LateMessagesDeps) =>
  async (rows: readonly MessageRow[]): Promise<readonly MessageRow[]> => {
    const untried = rows.filter(({ blast_id, rev }) => blast_id !== undefined && rev === 0).map(({ _id }) => _id);
    const late = new Set(untried.length === 0 ? [] : await recipients.unmarked(untried));
    if (late.size === 0) return rows;
    await campaignMessages.withdraw([...late]);
    return rows.filter(({ _id }) => !late.has(_id));
  };
