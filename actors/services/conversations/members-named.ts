import { fairSlices } from '../../../runtime/fair-slices.ts';
import type { Groups } from '../../../store/groups/groups.ts';
import type { GroupRecord } from '../../network/groups.ts';
import type { People } from '../people/people.ts';

export interface MemberDeps {
  readonly groups: Pick<Groups<GroupRecord>, 'anyOf'>;
  readonly persons: People;
}

const MEMBERS_PER_PAGE = 10_000;

export interface MemberSearch {
  holds(groupId: string): Promise<boolean>;
  isEnough(): boolean;
}

/** Each group is checked in its own time slice, so that other tenants can run in between. */
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
