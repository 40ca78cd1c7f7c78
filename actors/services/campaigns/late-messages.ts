import type { CampaignMessages } from '../../../store/campaigns/campaign-messages.ts';
import type { Recipients } from '../../../store/campaigns/recipients.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';

export interface LateMessagesDeps {
  readonly recipients: Pick<Recipients, 'unmarked'>;
  readonly campaignMessages: Pick<CampaignMessages, 'withdraw'>;
}

/**
 * Removes messages of a campaign that arrived late.
 *
 * A node that stands still while it stores a batch may lose its campaign. The next owner returns the batch's quota and takes the marks of its recipients
 * back, and the campaign may be cancelled; then the messages arrive after all. A recipient is marked before the message is stored, so a new
 * message of an unmarked recipient is such a late one: it is removed when its turn comes, not sent, and no quota is returned a second time.
 * Costs one reading for each claim with campaign messages that were never tried before.
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
