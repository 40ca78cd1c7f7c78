import type { GroupRecord } from '../../actors/network/groups.ts';
import { createPeople, type People, type PeopleDeps } from '../../actors/services/people/people.ts';
import { type Groups, groupsIn } from '../../store/groups/groups.ts';
import { identitiesIn } from '../../store/identities/identities.ts';
import type { Store } from '../../store/port.ts';

/** What devices know of groups and the like. */
export interface NetworkFeatureServices {
  readonly groups: Groups<GroupRecord>;
  /** How people of the network are shown. */
  readonly persons: People;
}

export function startNetworkFeatures({
  store,
  contacts,
}: { readonly store: Store } & Pick<PeopleDeps, 'contacts'>): NetworkFeatureServices {
  return { groups: groupsIn(store), persons: createPeople({ identities: identitiesIn(store), contacts }) };
}
