import { el, isGroup, jidOf, parseJid, type Stanza } from '../stanza.ts';
import type { Account } from './account.ts';
import type { Answer, Query } from './query.ts';

/** The recipients for which a message to an address is encrypted. */
export type Audience = Pick<Group, 'jid' | 'subject' | 'addressing' | 'members' | 'since'>;

export interface Group {
  readonly jid: string;
  subject: string;
  /** Kind of address by which its members are known. */
  addressing: 'pn' | 'lid';
  readonly members: Account[];
  readonly since: number;
  readonly kind: 'group' | 'community' | 'announcements';
  readonly admins: Set<Account>;
  readonly requests: Set<Account>;
  /** Code of the invitation link. */
  code: string;
  /** Community to which it belongs. */
  parent: Group | null;
  description: { readonly id: string; readonly t: number; readonly body: string } | null;
  announce: boolean;
  restrict: boolean;
  ephemeral: number;
  joinApproval: boolean;
  memberAddMode: string;
  picture: Buffer | null;
}

const FIRST_ID = 120_363_000_000_000_001n;

/** All groups of the network. */
export class Groups {
  readonly #groups = new Map<string, Group>();
  #made = 0;
  #codes = 0;

  /** `since`: epoch seconds. */
  create(
    members: readonly Account[],
    subject: string,
    addressing: Group['addressing'],
    since: number,
    kind: Group['kind'] = 'group',
    parent: Group | null = null,
  ): Group {
    const jid = jidOf(String(FIRST_ID + BigInt(this.#made)), 'g.us');
    this.#made += 1;
    const group: Group = {
      ...{
        jid,
        subject,
        addressing,
        members: [...members],
        since,
        kind,
        parent,
        admins: new Set(members.slice(0, 1)),
        requests: new Set(),
      },
      ...{ code: this.newCode(), description: null, announce: kind === 'announcements', restrict: false, ephemeral: 0 },
      ...{ joinApproval: false, memberAddMode: 'all_member_add', picture: null },
    };
    this.#groups.set(jid, group);
    return group;
  }

  get(jid: string): Group | null {
    return this.#groups.get(jid) ?? null;
  }

  newCode(): string {
    this.#codes += 1;
    return `Invite${String(this.#codes).padStart(16, '0')}`;
  }

  withCode(code: string): Group | null {
    return [...this.#groups.values()].find((group) => group.code === code) ?? null;
  }

  in(community: Group): readonly Group[] {
    return [...this.#groups.values()].filter(({ parent }) => parent === community);
  }

  remove(group: Group): void {
    this.#groups.delete(group.jid);
  }

  of(account: Account): readonly Group[] {
    return [...this.#groups.values()].filter(({ members }) => members.includes(account));
  }
}

export const groupQuery: Query = ({ groups }, { account }, _asked, iq) => {
  const group = groups.get(iq.attrs['to'] ?? '');
  if (!group || !isGroup(group.jid)) return { error: 404, text: 'item-not-found' };
  return group.members.includes(account) ? [described(group)] : { error: 403, text: 'forbidden' };
};

export const participating: Query = ({ groups }, { account }): Answer => [
  el(
    'groups',
    {},
    groups.of(account).map((group) => described(group)),
  ),
];

/** Describes a group as the server does for members, for its creator, and for users of an invitation link. */
export function described(group: Group, where: 'info' | 'created' | 'invitation' = 'info'): Stanza {
  const { jid, subject, addressing, members, since } = group;
  const [creator] = members;
  const attrs = {
    id: parseJid(jid).user,
    subject,
    s_t: since,
    creation: since,
    creator: creator?.jid,
    addressing_mode: addressing,
    size: where === 'created' ? undefined : members.length,
  };
  return el('group', attrs, [
    ...members.map((member, at) => participant(member, addressing, partOf(group, member, at))),
    ...settingsOf(group, where),
  ]);
}

const partOf = ({ admins }: Group, member: Account, at: number): string | null => {
  if (at === 0 && admins.has(member)) return 'superadmin';
  return admins.has(member) ? 'admin' : null;
};

/** Returns the non-default settings, each as a child node. */
function settingsOf(group: Group, where: 'info' | 'created' | 'invitation'): readonly Stanza[] {
  const { description, announce, restrict, ephemeral, joinApproval, memberAddMode, parent, kind } = group;
  const when = (isSo: boolean, node: Stanza): readonly Stanza[] => (isSo ? [node] : []);
  return [
    ...(description ? [describedBy(description, where)] : []),
    ...when(announce, el('announcement', {}, [])),
    ...when(restrict, el('locked', {}, [])),
    ...when(ephemeral > 0, el('ephemeral', { expiration: ephemeral }, [])),
    ...when(joinApproval, el('membership_approval_mode', {}, [el('group_join', { state: 'on' }, [])])),
    ...when(where !== 'invitation', el('member_add_mode', {}, memberAddMode)),
    ...(parent ? [el('linked_parent', { jid: parent.jid }, [])] : []),
    ...when(kind === 'community', el('parent', { default_membership_approval_mode: 'request_required' }, [])),
    ...when(kind === 'announcements', el('default_sub_group', {}, [])),
  ];
}

const describedBy = ({ id, t, body }: NonNullable<Group['description']>, where: string): Stanza =>
  where === 'created' ? el('description', { id }) : el('description', { id, t }, [el('body', {}, body)]);

/** Returns a member node in the response to a change. */
export const addressed = (member: Account, addressing: Group['addressing']): Stanza =>
  el('participant', addressing === 'lid' ? { jid: member.lidJid, phone_number: member.jid } : { jid: member.jid });

export const participant = (member: Account, addressing: Group['addressing'], type: string | null = null): Stanza =>
  el('participant', {
    ...(addressing === 'lid' ? { jid: member.lidJid, phone_number: member.jid } : { jid: member.jid, lid: member.lidJid }),
    type,
  });
