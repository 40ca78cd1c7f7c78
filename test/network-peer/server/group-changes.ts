import { children, el, type Stanza, textOf } from '../stanza.ts';
import type { Account } from './account.ts';
import type { Exchange } from './exchange.ts';
import { seconds } from './exchange.ts';
import { described, type Group, participant } from './groups.ts';
import { notify } from './notices.ts';
import type { Answer, Query } from './query.ts';

/** What may happen to a group. */
export type GroupChange =
  | { readonly kind: 'add' | 'remove' | 'promote' | 'demote'; readonly members: readonly Account[] }
  | { readonly kind: 'subject'; readonly subject: string };

/** Changes a group, and tells the computers of all who are or were in it. */
export function changeGroup(exchange: Exchange, group: Group, by: Account, change: GroupChange): void {
  const before = [...group.members];
  if (change.kind === 'subject') group.subject = change.subject;
  if (change.kind === 'add') group.members.push(...change.members.filter((member) => !before.includes(member)));
  if (change.kind === 'remove') for (const member of change.members) group.members.splice(group.members.indexOf(member), 1);
  tell(exchange, group, by, [...new Set([...before, ...group.members])], news(exchange, group, change));
}

function news(exchange: Exchange, { addressing }: Group, change: GroupChange): Stanza {
  if (change.kind === 'subject') return el('subject', { subject: change.subject, s_t: seconds(exchange) });
  return el(
    change.kind,
    {},
    change.members.map((member) => participant(member, addressing)),
  );
}

function tell(exchange: Exchange, group: Group, by: Account, whom: readonly Account[], content: Stanza): void {
  const actor = group.addressing === 'lid' ? { participant: by.lidJid, participant_pn: by.jid } : { participant: by.jid };
  for (const { linked } of whom) for (const each of linked.values()) notify(exchange, each, group.jid, 'w:gp2', [content], actor);
}

export const createGroup: Query = (exchange, { account }, asked) => {
  const members = accountsIn(exchange, asked);
  const group = exchange.groups.create([account, ...members], asked.attrs['subject'] ?? '', 'lid', seconds(exchange));
  tell(exchange, group, account, members, el('create', {}, [described(group)]));
  return [described(group)];
};

/** A member changes who is in the group, or its name. */
export const setGroup: Query = (exchange, { account }, asked, iq) => {
  const group = exchange.groups.get(iq.attrs['to'] ?? '');
  if (!group?.members.includes(account)) return { error: 403, text: 'forbidden' };
  const kind = asked.tag;
  if (kind === 'subject') changeGroup(exchange, group, account, { kind, subject: textOf(asked) });
  else if (isOfMembers(kind)) return changed(exchange, group, account, { kind, members: accountsIn(exchange, asked) });
  return [];
};

export const leaveGroups: Query = (exchange, { account }, asked) => {
  const left = children(asked, 'group').map(({ attrs }) => exchange.groups.get(attrs['id'] ?? ''));
  for (const group of left) if (group) changeGroup(exchange, group, account, { kind: 'remove', members: [account] });
  return [];
};

function changed(exchange: Exchange, group: Group, by: Account, change: Extract<GroupChange, { members: unknown }>): Answer {
  changeGroup(exchange, group, by, change);
  return [
    el(
      change.kind,
      {},
      change.members.map((member) => participant(member, group.addressing)),
    ),
  ];
}

const isOfMembers = (kind: string): kind is 'add' | 'remove' | 'promote' | 'demote' =>
  kind === 'add' || kind === 'remove' || kind === 'promote' || kind === 'demote';

function accountsIn({ directory }: Exchange, asked: Stanza): readonly Account[] {
  return children(asked, 'participant').flatMap(({ attrs }) => directory.of(attrs['jid'] ?? '') ?? []);
}
