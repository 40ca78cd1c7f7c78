import type { GroupRecord } from '../../network/groups.ts';
import type { Person } from '../../network/person.ts';
import type { People } from '../people/people.ts';

export interface GroupMetadata {
  readonly id: string;
  readonly subject: string;
  readonly owner: string | null;
  readonly creation: number | null;
  readonly desc: string | null;
  readonly size: number;
  readonly restrict: boolean;
  readonly announce: boolean;
  readonly ephemeralDuration: number;
  readonly join_approval: boolean;
  readonly member_add_mode: 'admins' | 'all';
  readonly community: string | null;
  readonly is_community: boolean;
  readonly picture: string | null;
  readonly participants: readonly Participant[];
}

interface Participant extends Person {
  readonly id: string;
  readonly admin: 'admin' | 'superadmin' | null;
}

export async function toMetadata(people: People, tenantId: string, group: GroupRecord, picture: string | null): Promise<GroupMetadata> {
  const members = await people.describe(tenantId, group.members);
  return {
    id: group.id,
    subject: group.subject,
    owner: group.owner,
    creation: group.creation,
    desc: group.description,
    size: group.size,
    restrict: group.restrict,
    announce: group.announce,
    ephemeralDuration: group.ephemeral,
    join_approval: group.joinApproval,
    member_add_mode: group.memberAddMode,
    community: group.community,
    is_community: group.isCommunity,
    picture,
    participants: members.map(({ id, phone, lid, username = null, name, admin }) => ({ id, phone, lid, username, name, admin })),
  };
}
