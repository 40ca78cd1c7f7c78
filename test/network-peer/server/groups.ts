import { el, isGroup, jidOf, parseJid, type Stanza } from '../stanza.ts';
import type { Account } from './account.ts';
import type { Answer, Query } from './query.ts';

export interface Group {
  readonly jid: string;
  subject: string;
  /** Which kind of address its members are known by. */
  readonly addressing: 'pn' | 'lid';
  readonly members: Account[];
  readonly since: number;
}

const FIRST_ID = 120_363_000_000_000_001n;

/** All groups there are. */
export class Groups {
  readonly #groups = new Map<string, Group>();

  /** `since`: epoch seconds. */
  create(members: readonly Account[], subject: string, addressing: Group['addressing'], since: number): Group {
    const jid = jidOf(String(FIRST_ID + BigInt(this.#groups.size)), 'g.us');
    const group: Group = { jid, subject, addressing, members: [...members], since };
    this.#groups.set(jid, group);
    return group;
  }

  get(jid: string): Group | null {
    return this.#groups.get(jid) ?? null;
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

export const participating: Query = ({ groups }, { account }): Answer => [el('groups', {}, groups.of(account).map(described))];

/** A group as the server tells it. */
export function described({ jid, subject, addressing, members, since }: Group): Stanza {
  const [creator] = members;
  const attrs = {
    id: parseJid(jid).user,
    subject,
    s_t: since,
    creation: since,
    creator: creator?.jid,
    addressing_mode: addressing,
    size: members.length,
  };
  return el(
    'group',
    attrs,
    members.map((member, at) => participant(member, addressing, at === 0)),
  );
}

export const participant = (member: Account, addressing: Group['addressing'], isAdmin = false): Stanza =>
  el('participant', {
    ...(addressing === 'lid' ? { jid: member.lidJid, phone_number: member.jid } : { jid: member.jid, lid: member.lidJid }),
    type: isAdmin ? 'superadmin' : null,
  });
