import type { GroupRecord, Member } from '../../groups.ts';
import { personAt, withoutDevice } from '../../person.ts';
import type { BinaryNode } from '../library.ts';
import { child, children, textOf } from './query.ts';

/** Reads a group or a community. The network calls both `<group>`. */
export function readGroup(node: BinaryNode): GroupRecord {
  const { id = '', subject = '', creator, creation, size } = node.attrs;
  const members = children(node, 'participant').map(readMember);
  const ephemeral = child(node, 'ephemeral')?.attrs['expiration'];
  return {
    id: groupJid(id),
    subject,
    owner: creator ? withoutDevice(creator) : null,
    creation: creation ? Number(creation) : null,
    description: textOf(child(child(node, 'description'), 'body')),
    size: size ? Number(size) : members.length,
    announce: child(node, 'announcement') !== undefined,
    restrict: child(node, 'locked') !== undefined,
    ephemeral: ephemeral ? Number(ephemeral) : 0,
    joinApproval: isOn(child(child(node, 'membership_approval_mode'), 'group_join')),
    memberAddMode: textOf(child(node, 'member_add_mode')) === 'admin_add' ? 'admins' : 'all',
    community: child(node, 'linked_parent')?.attrs['jid'] ?? null,
    isCommunity: child(node, 'parent') !== undefined,
    members,
  };
}

export const groupJid = (id: string): string => (id.includes('@') ? id : `${id}@g.us`);

export function readMember({ attrs }: BinaryNode): Member {
  const { jid = '', phone_number: phone, lid, type, display_name: name } = attrs;
  return {
    id: withoutDevice(jid),
    ...personAt(jid, phone ?? lid ?? null, name ?? null),
    admin: type === 'admin' || type === 'superadmin' ? type : null,
  };
}

/** The network also lists settings that are off. */
const isOn = (node: BinaryNode | undefined): boolean => node?.attrs['state'] === 'on';
