import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import { type AccountOwner, linkedDevice } from '../../../store/devices/linked.ts';
import type { Asking, Groups } from '../../../store/groups/groups.ts';
import type { GroupChanges, GroupFact, GroupRecord, Member } from '../../network/groups.ts';
import type { Person } from '../../network/person.ts';
import type { People } from '../people/people.ts';
import { toMetadata } from './metadata.ts';

/** Applies reported changes to each device's list of groups, and creates the events. */

export interface GroupFactDeps {
  readonly groups: Groups<GroupRecord>;
  readonly persons: People;
}

const MAX_TRIES = 5;
/** Tolerance for times from the network: whole seconds from a clock that may be behind ours. */
const SKEW_MS = 60_000;

/** Must be called in order of arrival. Idempotent. `at` is the network's time. */
export async function keepGroupFact(
  { groups }: Pick<GroupFactDeps, 'groups'>,
  by: AccountOwner,
  fact: GroupFact,
  { at, now }: { readonly at: number; readonly now: number },
): Promise<void> {
  const device = linkedDevice(by);
  if (fact.fact === 'group.joined') {
    const { group: record } = fact;
    return groups.put(by, { group_id: record.id, subject: record.subject, record, at }, now);
  }
  if (fact.fact === 'group.left') return groups.remove(device, fact.group_id);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const row = await groups.find(device, fact.group_id);
    if (!row || row.at > at + SKEW_MS) return;
    const record = afterFact(row.record, fact);
    if (await groups.change(row, { record, subject: record.subject, at: Math.max(at, row.at) })) break;
  }
  if (fact.fact === 'group.updated' && fact.changed.picture !== undefined)
    await groups.pictureChanged(device, fact.group_id, fact.changed.picture);
}

export async function groupFactData({ persons }: GroupFactDeps, tenantId: string, fact: GroupFact, at: number): Promise<object> {
  const [by = null] = fact.by ? await persons.describe(tenantId, [fact.by]) : [];
  const common = { group_id: fact.group_id, by, at };
  switch (fact.fact) {
    case 'group.joined':
      return { ...common, reason: fact.reason, group: await toMetadata(persons, tenantId, fact.group, null) };
    case 'group.left':
      return { ...common, reason: fact.reason };
    case 'group.updated':
      return { ...common, changed: fact.changed };
    case 'group.participants': {
      const participants = await persons.describe(tenantId, fact.participants);
      return { ...common, action: fact.action, participants, reason: fact.reason };
    }
    case 'group.join_request': {
      const [person = fact.person] = await persons.describe(tenantId, [fact.person]);
      return { ...common, action: fact.action, person, method: fact.method };
    }
    default:
      return unreachable(fact);
  }
}

function afterFact(group: GroupRecord, fact: GroupFact): GroupRecord {
  if (fact.fact === 'group.updated') return afterChanges(group, fact.changed);
  return fact.fact === 'group.participants' ? afterMoves(group, fact) : group;
}

export function afterChanges(group: GroupRecord, changed: GroupChanges): GroupRecord {
  const { subject = group.subject, description = group.description, announce = group.announce, restrict = group.restrict } = changed;
  const { ephemeral = group.ephemeral, join_approval = group.joinApproval, member_add_mode = group.memberAddMode } = changed;
  const { community = group.community } = changed;
  const settings = { announce, restrict, ephemeral, joinApproval: join_approval, memberAddMode: member_add_mode };
  return { ...group, subject, description, community, ...settings };
}

function afterMoves(group: GroupRecord, { action, participants }: Extract<GroupFact, { fact: 'group.participants' }>): GroupRecord {
  const others = group.members.filter((member) => !participants.some((one) => isSame(one, member)));
  const named = group.members.filter((member) => participants.some((one) => isSame(one, member)));
  switch (action) {
    case 'add': {
      const members = [...group.members, ...participants.filter((one) => !named.some((member) => isSame(one, member))).map(newMember)];
      return { ...group, members, size: group.size + members.length - group.members.length };
    }
    case 'remove':
      return { ...group, members: others, size: group.size - named.length };
    case 'promote':
    case 'demote': {
      const admin = action === 'promote' ? 'admin' : null;
      return { ...group, members: group.members.map((member) => (named.includes(member) ? { ...member, admin } : member)) };
    }
    case 'modify':
      return group;
    default:
      return unreachable(action);
  }
}

const newMember = (one: Person): Member => ({ ...one, id: one.lid ?? `${one.phone}@s.whatsapp.net`, admin: null });

export const isSame = (one: Asking, other: Asking): boolean =>
  (one.phone !== null && one.phone === other.phone) || (one.lid !== null && one.lid === other.lid);
