import { children, el, type Stanza, textOf } from '../stanza.ts';
import type { Account } from './account.ts';
import type { Exchange } from './exchange.ts';
import { seconds } from './exchange.ts';
import { addressed, described, type Group, participant } from './groups.ts';
import { notify } from './notices.ts';
import type { Answer, Query } from './query.ts';

/** Changes that may be made to a group. */
export type GroupChange =
  | { readonly kind: 'add' | 'remove' | 'promote' | 'demote'; readonly members: readonly Account[] }
  | { readonly kind: 'subject'; readonly subject: string }
  /** A setting that this server does not store. Members are notified. */
  | { readonly kind: 'setting'; readonly told: Stanza };

/** Changes a group and notifies the computers of all current and former members. */
export function changeGroup(exchange: Exchange, group: Group, by: Account, change: GroupChange): void {
  const before = [...group.members];
  if (change.kind === 'subject') group.subject = change.subject;
  if (change.kind === 'add') group.members.push(...change.members.filter((member) => !before.includes(member)));
  if (change.kind === 'remove') for (const member of change.members) group.members.splice(group.members.indexOf(member), 1);
  if (change.kind === 'promote') for (const member of change.members) group.admins.add(member);
  if (change.kind === 'demote' || change.kind === 'remove') for (const member of change.members) group.admins.delete(member);
  tellGroup(exchange, group, by, [...new Set([...before, ...group.members])], [news(exchange, group, change)]);
}

function news(exchange: Exchange, { addressing }: Group, change: GroupChange): Stanza {
  if (change.kind === 'setting') return change.told;
  if (change.kind === 'subject') return el('subject', { subject: change.subject, s_t: seconds(exchange) });
  return el(
    change.kind,
    {},
    change.members.map((member) => participant(member, addressing)),
  );
}

/** Notifies the computers of these people, including the one that made the change. */
export function tellGroup(exchange: Exchange, group: Group, by: Account, whom: readonly Account[], content: readonly Stanza[]): void {
  const actor = group.addressing === 'lid' ? { participant: by.lidJid, participant_pn: by.jid } : { participant: by.jid };
  for (const { linked } of whom) for (const each of linked.values()) notify(exchange, each, group.jid, 'w:gp2', content, actor);
}

/**
 * Creates a group or community. The response also lists the people who can only be invited. A community is announced
 * as a group, and then its announcement group.
 */
export const createGroup: Query = (exchange, { account }, asked) => {
  const { groups } = exchange;
  const subject = asked.attrs['subject'] ?? '';
  const [isCommunity] = children(asked, 'parent');
  const parent = groups.get(children(asked, 'linked_parent')[0]?.attrs['jid'] ?? '');
  if (parent && !parent.admins.has(account)) return { error: 403, text: 'forbidden' };
  const group = groups.create([account], subject, 'lid', seconds(exchange), isCommunity ? 'community' : 'group', parent);
  const [body] = children(children(asked, 'description')[0], 'body');
  if (body) group.description = { id: children(asked, 'description')[0]?.attrs['id'] ?? '', t: seconds(exchange), body: textOf(body) };
  const { added, said } = addable(exchange, group, asked);
  group.members.push(...added);
  tellGroup(exchange, group, account, group.members, [el('create', {}, [described(group)])]);
  if (isCommunity) {
    const news = groups.create([account], subject, 'lid', seconds(exchange), 'announcements', group);
    tellGroup(exchange, news, account, news.members, [el('create', {}, [described(news)])]);
  }
  const refused = said.filter(({ attrs }) => attrs['error'] !== undefined);
  const { attrs, content } = described(group, 'created');
  return [el('group', attrs, [...(Array.isArray(content) ? content : []), ...refused])];
};

/** Applies a member's change to the member list or the name. */
export const setGroup: Query = (exchange, { account }, asked, iq) => {
  const group = exchange.groups.get(iq.attrs['to'] ?? '');
  if (!group) return { error: 404, text: 'item-not-found' };
  if (!group.members.includes(account)) return { error: 403, text: 'forbidden' };
  const kind = asked.tag;
  const isForAdmins = kind !== 'subject' && kind !== 'add';
  if (isForAdmins && !group.admins.has(account)) return { error: 403, text: 'forbidden' };
  if (kind === 'subject') changeGroup(exchange, group, account, { kind, subject: textOf(asked) });
  else if (kind === 'add') return addedTo(exchange, group, account, asked);
  else if (isOfMembers(kind)) {
    // Without this attribute, people removed from a community stay in its groups.
    const rooms = kind === 'remove' && asked.attrs['linked_groups'] === 'true' ? exchange.groups.in(group) : [];
    return changed(exchange, group, account, { kind, members: accountsIn(exchange, asked) }, rooms);
  }
  return [];
};

function addedTo(exchange: Exchange, group: Group, by: Account, asked: Stanza): Answer {
  const { added, said } = addable(exchange, group, asked);
  if (added.length > 0) changeGroup(exchange, group, by, { kind: 'add', members: added });
  return [el('add', {}, said)];
}

/** Rejects people who can only be invited (with the invitation data) and people who are already members. */
function addable(
  exchange: Exchange,
  group: Group,
  asked: Stanza,
): { readonly added: readonly Account[]; readonly said: readonly Stanza[] } {
  const accounts = accountsIn(exchange, asked);
  const isAdded = (account: Account): boolean => account.isAddable && account.onNetwork && !group.members.includes(account);
  const unknown = children(asked, 'participant').filter(({ attrs }) => !exchange.directory.of(attrs['jid'] ?? ''));
  return {
    added: accounts.filter(isAdded),
    said: [
      ...accounts.map((account) => (isAdded(account) ? addressed(account, group.addressing) : refusedIn(exchange, group, account))),
      ...unknown.map(({ attrs }) => el('participant', { jid: attrs['jid'], error: 404 }, [])),
    ],
  };
}

function refusedIn(exchange: Exchange, group: Group, account: Account): Stanza {
  const { attrs } = addressed(account, group.addressing);
  if (!account.onNetwork) return el('participant', { ...attrs, error: 404 }, []);
  if (group.members.includes(account)) return el('participant', { ...attrs, error: 409 }, []);
  const expiration = seconds(exchange) + INVITED_FOR_S;
  return el('participant', { ...attrs, error: 403 }, [el('add_request', { code: exchange.groups.newCode(), expiration }, [])]);
}

const INVITED_FOR_S = 259_200;

export const leaveGroups: Query = (exchange, { account }, asked) => {
  const left = children(asked, 'group').map(({ attrs }) => exchange.groups.get(attrs['id'] ?? ''));
  for (const group of left) if (group) changeGroup(exchange, group, account, { kind: 'remove', members: [account] });
  return [el('leave', {}, children(asked, 'group'))];
};

function changed(
  exchange: Exchange,
  group: Group,
  by: Account,
  change: Extract<GroupChange, { members: unknown }>,
  rooms: readonly Group[],
): Answer {
  changeGroup(exchange, group, by, change);
  for (const room of rooms) {
    const members = change.members.filter((member) => room.members.includes(member));
    if (members.length > 0) changeGroup(exchange, room, by, { kind: 'remove', members });
  }
  return [
    el(
      change.kind,
      {},
      change.members.map((member) => addressed(member, group.addressing)),
    ),
  ];
}

const isOfMembers = (kind: string): kind is 'add' | 'remove' | 'promote' | 'demote' =>
  kind === 'add' || kind === 'remove' || kind === 'promote' || kind === 'demote';

function accountsIn({ directory }: Exchange, asked: Stanza): readonly Account[] {
  return children(asked, 'participant').flatMap(({ attrs }) => directory.of(attrs['jid'] ?? '') ?? []);
}
