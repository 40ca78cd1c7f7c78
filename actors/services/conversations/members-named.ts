import { fairSlices } from '../../../runtime/fair-slices.ts';
import type { Groups } from '../../../store/groups/groups.ts';
import type { GroupRecord } from '../../network/groups.ts';
import type { People } from '../people/people.ts';

export interface MemberDeps {
  readonly groups: Pick<Groups<GroupRecord>, 'anyOf'>;
  readonly persons: People;
}

/** So many members are looked at for one page of a search; the group in which this is passed is looked at to its end. */
const MEMBERS_PER_PAGE = 10_000;

/** Looks for groups by the names of their members, for one page. */
export interface MemberSearch {
  /** Has this group a member whose name holds the text? The names are those of contacts here. */
  holds(groupId: string): Promise<boolean>;
  /** The members looked at are as many as one page may look at. */
  isEnough(): boolean;
}

/** `wanted` is in lower case. Each group is a slice, between which other tenants have their turn. */
export function searchMembers({ groups, persons }: MemberDeps, tenantId: string, wanted: string): MemberSearch {
  let looked = 0;
  return {
    holds: (groupId) =>
      fairSlices.run(tenantId, async () => {
        const group = await groups.anyOf(tenantId, groupId);
        if (!group) return false;
        looked += group.record.members.length;
        const members = await persons.describe(tenantId, group.record.members);
        return members.some(({ name }) => name?.toLowerCase().includes(wanted));
      }),
    isEnough: () => looked >= MEMBERS_PER_PAGE,
  };
}
