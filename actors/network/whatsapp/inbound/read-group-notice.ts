import type { GroupChanges, GroupFact } from '../../groups.ts';
import { type Person, personAt } from '../../person.ts';
import type { BinaryNode } from '../library.ts';
import { child, children, textOf } from '../questions/query.ts';
import { readGroup } from '../questions/read-group.ts';

export interface Heard {
  readonly notice: BinaryNode;
  isUs(person: Person): boolean;
}

type Told<F = GroupFact> = F extends GroupFact ? Omit<F, 'group_id' | 'by'> : never;

/** Reads all children. The library reads only the first one, and drops some kinds. */
export function readGroupNotice(heard: Heard): readonly GroupFact[] {
  const { from: group_id = '', participant, participant_pn } = heard.notice.attrs;
  const by = participant ? personAt(participant, participant_pn ?? null) : null;
  return children(heard.notice).flatMap((node) => told(heard, node, by).map((fact) => ({ ...fact, group_id, by })));
}

function told(heard: Heard, node: BinaryNode, by: Person | null): readonly Told[] {
  switch (node.tag) {
    case 'create': {
      const group = child(node, 'group');
      return group ? [{ fact: 'group.joined', reason: node.attrs['reason'] ?? 'create', group: readGroup(group) }] : [];
    }
    case 'add':
    case 'remove':
    case 'promote':
    case 'demote':
    case 'modify':
      return moved(heard, node, node.tag, by);
    case 'delete':
      return [{ fact: 'group.left', reason: node.attrs['reason'] ?? 'deleted' }];
    case 'created_membership_requests':
      return requested(node, 'created', node.attrs['request_method'] ?? null);
    case 'revoked_membership_requests':
      return revoked(node, by);
    default: {
      const changed = changesOf(node);
      return changed ? [{ fact: 'group.updated', changed }] : [];
    }
  }
}

function moved(
  heard: Heard,
  node: BinaryNode,
  action: Extract<Told, { fact: 'group.participants' }>['action'],
  by: Person | null,
): readonly Told[] {
  const participants = peopleIn(node, 'participant');
  const others = participants.filter((one) => !(action === 'remove' && heard.isUs(one)));
  const reason = node.attrs['reason'] ?? null;
  const own: readonly Told[] =
    others.length < participants.length ? [{ fact: 'group.left', reason: reason ?? (by && heard.isUs(by) ? 'left' : 'removed') }] : [];
  return [...(others.length > 0 ? [{ fact: 'group.participants', action, participants: others, reason } as const] : []), ...own];
}

/** Reads a request to join. The person is in a child element, which may also name who proposed them. */
const requested = (node: BinaryNode, action: 'created' | 'revoked' | 'rejected', method: string | null): readonly Told[] =>
  peopleIn(node, 'requested_user').map((person) => ({ fact: 'group.join_request', action, person, method }));

/** A request is `revoked` by the person who made it, and `rejected` by anyone else. */
function revoked(node: BinaryNode, by: Person | null): readonly Told[] {
  return peopleIn(node, 'participant').map((person) => {
    const isTheirs = by !== null && ((by.lid !== null && by.lid === person.lid) || (by.phone !== null && by.phone === person.phone));
    return { fact: 'group.join_request', action: isTheirs ? 'revoked' : 'rejected', person, method: null };
  });
}

const peopleIn = (node: BinaryNode, tag: string): readonly Person[] =>
  children(node, tag).map(({ attrs }) =>
    personAt(attrs['jid'] ?? '', attrs['phone_number'] ?? attrs['lid'] ?? null, null, attrs['username'] ?? null),
  );

function changesOf(node: BinaryNode): GroupChanges | null {
  const { attrs } = node;
  switch (node.tag) {
    case 'subject':
      return { subject: attrs['subject'] ?? '' };
    case 'description':
      return { description: child(node, 'delete') ? null : textOf(child(node, 'body')) };
    case 'announcement':
    case 'not_announcement':
      return { announce: node.tag === 'announcement' };
    case 'locked':
    case 'unlocked':
      return { restrict: node.tag === 'locked' };
    case 'ephemeral':
      return { ephemeral: Number(attrs['expiration'] ?? 0) };
    case 'not_ephemeral':
      return { ephemeral: 0 };
    case 'membership_approval_mode':
      return { join_approval: child(node, 'group_join')?.attrs['state'] === 'on' };
    case 'member_add_mode':
      return { member_add_mode: textOf(node) === 'admin_add' ? 'admins' : 'all' };
    case 'member_link_mode':
      return { member_link_mode: textOf(node) === 'admin_link' ? 'admins' : 'all' };
    case 'member_share_group_history_mode':
      return { member_share_history_mode: textOf(node) === 'admin_share' ? 'admins' : 'all' };
    case 'invite':
      return { invite_revoked: true };
    case 'suspended':
    case 'unsuspended':
      return { suspended: node.tag === 'suspended' };
    default:
      return newerChange(node) ?? linkOf(node);
  }
}

/** A lock without an end lasts until the network lifts it. */
const FOR_EVER = 253_402_300_799_000;

function newerChange({ tag, attrs }: BinaryNode): GroupChanges | null {
  switch (tag) {
    case 'allow_admin_reports':
    case 'not_allow_admin_reports':
      return { admin_reports: tag === 'allow_admin_reports' };
    case 'no_frequently_forwarded':
    case 'frequently_forwarded_ok':
      return { no_frequently_forwarded: tag === 'no_frequently_forwarded' };
    case 'growth_locked': {
      const seconds = Number(attrs['expiration'] ?? 0);
      return { locked_until: seconds > 0 ? Math.min(seconds * 1_000, FOR_EVER) : FOR_EVER };
    }
    case 'growth_unlocked':
      return { locked_until: null };
    default:
      return null;
  }
}

function linkOf(node: BinaryNode): GroupChanges | null {
  const type = node.attrs['link_type'] ?? node.attrs['unlink_type'];
  if (type !== 'parent_group') return null;
  if (node.tag === 'unlink') return { community: null };
  const parent = child(node, 'group')?.attrs['jid'];
  return node.tag === 'link' && parent ? { community: parent } : null;
}
