import type { CampaignMessages } from '../../../store/campaigns/campaign-messages.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import { addressOf } from '../../network/subject.ts';

/** Whether each of these people got a message of the tenant since then, or has one waiting. A person is all of their numbers (digits) and hidden addresses. */
export type WrittenLately = (tenantId: string, people: readonly (readonly string[])[], since: number) => Promise<readonly boolean[]>;

export interface WrittenLatelyDeps {
  readonly devices: Pick<Devices, 'list'>;
  readonly campaignMessages: Pick<CampaignMessages, 'isWrittenSince'>;
}

/** Asks the message log of all devices of the tenant. */
export function createWrittenLately({ devices, campaignMessages }: WrittenLatelyDeps): WrittenLately {
  return async (tenantId, people, since) => {
    if (people.length === 0) return [];
    const sessionIds = (await devices.list(tenantId, null)).map(({ _id }) => _id);
    return Promise.all(people.map((numbers) => campaignMessages.isWrittenSince(sessionIds, numbers.map(addressOf), since)));
  };
}
