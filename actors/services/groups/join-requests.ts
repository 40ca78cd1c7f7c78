import { type AccountOwner, linkedDevice } from '../../../store/devices/linked.ts';
import type { Asking } from '../../../store/groups/groups.ts';
import type { GroupFact } from '../../network/groups.ts';
import { type GroupFactDeps, isSame } from './group-facts.ts';

type JoinRequest = Extract<GroupFact, { readonly fact: 'group.join_request' }>;

/** The network reports only additions, so adding a person who had asked to join counts as an approval. */
export async function approvedBy(
  { groups }: Pick<GroupFactDeps, 'groups'>,
  by: AccountOwner,
  fact: GroupFact,
): Promise<readonly JoinRequest[]> {
  if (fact.fact !== 'group.participants' || fact.action !== 'add') return [];
  const { group_id, by: admin, participants } = fact;
  const requests = (await groups.find(linkedDevice(by), group_id))?.requests ?? [];
  return participants.flatMap((one) => {
    const asked = requests.find((request) => isSame(request, one));
    if (!asked || admin === null || isSame(admin, one)) return [];
    const person = { phone: one.phone ?? asked.phone, lid: one.lid ?? asked.lid, username: one.username, name: one.name };
    return [{ fact: 'group.join_request', group_id, by: admin, action: 'approved', person, method: null } as const];
  });
}

/** Removes settled requests. Call this only after the events are recorded. Idempotent. */
export async function settleRequests({ groups }: Pick<GroupFactDeps, 'groups'>, by: AccountOwner, fact: GroupFact): Promise<void> {
  const about = peopleOf(fact);
  const device = linkedDevice(by);
  const row = about.length === 0 ? null : await groups.find(device, fact.group_id);
  if (!row) return;
  const before = row.requests ?? [];
  const others = before.filter((request) => !about.some((one) => isSame(request, one)));
  // The notification for an existing member is a repeat, and the request is no longer open.
  const asking =
    fact.fact === 'group.join_request' && fact.action === 'created' && !row.record.members.some((member) => isSame(member, fact.person));
  if (!asking && others.length === before.length) return;
  await groups.setRequests(device, fact.group_id, asking ? [...others, addressesOf(fact.person)] : others);
}

function peopleOf(fact: GroupFact): readonly Asking[] {
  if (fact.fact === 'group.join_request') return [fact.person];
  return fact.fact === 'group.participants' && fact.action === 'add' ? fact.participants : [];
}

export const addressesOf = ({ phone, lid }: Asking): Asking => ({ phone, lid });
