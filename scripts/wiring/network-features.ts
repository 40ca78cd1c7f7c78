import type { ChannelRecord } from '../../actors/network/channels.ts';
import type { GroupRecord } from '../../actors/network/groups.ts';
import { createPeople, type People, type PeopleDeps } from '../../actors/services/people/people.ts';
import { type ChannelIntents, channelIntentsIn } from '../../store/channels/channel-intents.ts';
import { type Channels, channelsIn } from '../../store/channels/channels.ts';
import { type SavedNames, savedNamesIn } from '../../store/conversations/saved-names.ts';
import { type Groups, groupsIn } from '../../store/groups/groups.ts';
import { identitiesIn } from '../../store/identities/identities.ts';
import { type MemberReceipts, memberReceiptsIn } from '../../store/messaging/member-receipts.ts';
import { type StatusViews, statusViewsIn } from '../../store/messaging/status-views.ts';
import type { Store } from '../../store/port.ts';

export interface NetworkFeatureServices {
  readonly groups: Groups<GroupRecord>;
  readonly channels: Channels<ChannelRecord>;
  readonly channelIntents: ChannelIntents;
  readonly statusViews: StatusViews;
  readonly memberReceipts: MemberReceipts;
  readonly savedNames: SavedNames;
  readonly persons: People;
}

export function startNetworkFeatures({
  store,
  contacts,
}: { readonly store: Store } & Pick<PeopleDeps, 'contacts'>): NetworkFeatureServices {
  return {
    groups: groupsIn(store),
    channels: channelsIn(store),
    channelIntents: channelIntentsIn(store),
    statusViews: statusViewsIn(store),
    memberReceipts: memberReceiptsIn(store),
    savedNames: savedNamesIn(store),
    persons: createPeople({ identities: identitiesIn(store), contacts }),
  };
}
