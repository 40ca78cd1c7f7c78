import type { CampaignMessages } from '../../../store/campaigns/campaign-messages.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import { addressOf } from '../../network/subject.ts';

/**
 * For each person, whether a campaign has messaged them since `since`, including queued messages. A
 * person is given as a list of all their numbers and hidden addresses.
 */
export type WrittenLately = (tenantId: string, people: readonly (readonly string[])[], since: number) => Promise<readonly boolean[]>;

export interface WrittenLatelyDeps {
  readonly devices: Pick<Devices, 'list'>;
  readonly campaignMessages: Pick<CampaignMessages, 'isWrittenSince'>;
}

export function createWrittenLately({ devices, campaignMessages }: WrittenLatelyDeps): WrittenLately {
  return async (tenantId, people, since) => {
    if (people.length === 0) return [];
    const sessionIds = (await devices.list(tenantId, null)).map(({ _id }) => _id);
    return Promise.all(people.map((numbers) => campaignMessages.isWrittenSince(sessionIds, numbers.map(addressOf), since)));
  };
}
