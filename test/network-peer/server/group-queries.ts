import { children, el, type Stanza, textOf } from '../stanza.ts';
import type { Account } from './account.ts';
import { type Exchange, seconds } from './exchange.ts';
import { changeGroup, tellGroup } from './group-changes.ts';
import { addressed, described, type Group, participant } from './groups.ts';
import type { Answer, Query } from './query.ts';

/** Actions of members on a group. Non-members are refused, and so are non-admins if an admin is required. */

const FORBIDDEN: Answer = { error: 403, text: 'forbidden' };
const UNKNOWN: Answer = { error: 404, text: 'item-not-found' };

type InGroup = (exchange: Exchange, at: { readonly group: Group; readonly by: Account; readonly asked: Stanza }) => Answer;

const inGroup =
  (work: InGroup, isForAdmins = false): Query =>
  (exchange, { account }, asked, iq) => {
    const group = exchange.groups.get(iq.attrs['to'] ?? '');
    if (!group) return UNKNOWN;
    if (!group.members.includes(account) || (isForAdmins && !group.admins.has(account))) return FORBIDDEN;
    return work(exchange, { group, by: account, asked });
  };

const changing = (changes: (asked: Stanza) => Partial<Group>): Query =>
  inGroup((exchange, { group, by, asked }) => {
    Object.assign(group, changes(asked));
    tellGroup(exchange, group, by, group.members, [asked]);
    return [];
  }, true);

/** A change must name the description that it replaces. */
const describe: InGroup = (exchange, { group, by, asked }) => {
  if ((asked.attrs['prev'] ?? null) !== (group.description?.id ?? null)) return { error: 409, text: 'conflict' };
  const [body] = children(asked, 'body');
  group.description = body ? { id: asked.attrs['id'] ?? '', t: seconds(exchange), body: textOf(body) } : null;
  tellGroup(exchange, group, by, group.members, [el('description', { id: asked.attrs['id'] }, [body ?? el('delete', {}, [])])]);
  return [];
};

const byCode = ({ groups }: Exchange, asked: Stanza): Group | null => groups.withCode(asked.attrs['code'] ?? '');

/** A revoked link returns "gone", an invalid link "not acceptable". */
const refusedLink = (asked: Stanza): Answer =>
  /^\w{8,}$/.test(asked.attrs['code'] ?? '') ? { error: 410, text: 'gone' } : { error: 406, text: 'not-acceptable' };

const preview: Query = (exchange, _linked, asked, iq) => {
  if (asked.attrs['code'] === undefined) return inviteOf(exchange, _linked, asked, iq);
  const group = byCode(exchange, asked);
  return group ? [described(group, 'invitation')] : refusedLink(asked);
};

const inviteOf: Query = inGroup((_exchange, { group }) => [el('invite', { code: group.code }, [])], true);

/** If admins approve members, the response is the membership request, not the group. */
const join: Query = (exchange, linked, asked, iq) => {
  if (asked.attrs['code'] === undefined) return renew(exchange, linked, asked, iq);
  const { account } = linked;
  const group = byCode(exchange, asked);
  if (!group) return refusedLink(asked);
  if (group.members.includes(account)) return { error: 409, text: 'conflict' };
  if (group.joinApproval) {
    group.requests.add(account);
    const asking = el('requested_user', { jid: account.lidJid, phone_number: account.jid }, []);
    // The proposer appears next to the proposed person, and the library mistakes the proposer for that person.
    const proposer = participant(group.members[0] ?? account, group.addressing);
    const news = el('created_membership_requests', { request_method: 'invite_link' }, [proposer, asking]);
    tellGroup(exchange, group, account, [...group.admins], [news]);
    return [el('membership_approval_request', { jid: group.jid }, [])];
  }
  changeGroup(exchange, group, account, { kind: 'add', members: [account] });
  return [el('group', { jid: group.jid }, [])];
};

const renew: Query = inGroup((exchange, { group, by }) => {
  group.code = exchange.groups.newCode();
  tellGroup(exchange, group, by, group.members, [el('invite', { code: group.code }, [])]);
  return [el('invite', { code: group.code }, [])];
}, true);

const requests: InGroup = (exchange, { group }) => [
  el(
    'membership_approval_requests',
    {},
    [...group.requests].map(({ jid, lidJid }) =>
      el(
        'membership_approval_request',
        { jid: lidJid, phone_number: jid, request_method: 'invite_link', request_time: seconds(exchange) },
        [],
      ),
    ),
  ),
];

const answerRequests: InGroup = (exchange, { group, by, asked }) => {
  const [action] = children(asked);
  if (!action) return { error: 400, text: 'bad-request' };
  const results = children(action, 'participant').map(({ attrs }) => {
    const account = exchange.directory.of(attrs['jid'] ?? '');
    if (!account || !group.requests.delete(account)) return el('participant', { jid: attrs['jid'], error: 404 }, []);
    if (action.tag === 'approve') changeGroup(exchange, group, by, { kind: 'add', members: [account] });
    else tellGroup(exchange, group, by, group.members, [el('revoked_membership_requests', {}, [participant(account, group.addressing)])]);
    return addressed(account, group.addressing);
  });
  return [el('membership_requests_action', {}, [el(action.tag, {}, results)])];
};

const subGroups: InGroup = ({ groups }, { group }) => [
  el(
    'sub_groups',
    {},
    groups
      .in(group)
      .map(({ jid, subject, members, kind }) =>
        el(
          'group',
          { id: jid.split('@')[0], subject, size: members.length },
          kind === 'announcements' ? [el('default_sub_group', {}, [])] : [],
        ),
      ),
  ),
];

const linkGroups =
  (isLinking: boolean): InGroup =>
  (exchange, { group: community, by, asked }) => {
    const results = children(isLinking ? (children(asked)[0] ?? asked) : asked, 'group').map(({ attrs: { jid = '' } }) => {
      const group = exchange.groups.get(jid);
      if (!group?.admins.has(by)) return el('group', { jid, error: group ? 403 : 404 }, []);
      group.parent = isLinking ? community : null;
      const kind = isLinking ? 'link' : 'unlink';
      tellGroup(exchange, group, by, group.members, [
        el(kind, { [`${kind}_type`]: 'parent_group' }, [el('group', { jid: community.jid }, [])]),
      ]);
      return el('group', { jid }, []);
    });
    return [
      isLinking ? el('links', {}, [el('link', { link_type: 'sub_group' }, results)]) : el('unlink', { unlink_type: 'sub_group' }, results),
    ];
  };

const linkedPeople: InGroup = ({ groups }, { group }) => {
  const all = new Set([group, ...groups.in(group)].flatMap(({ members }) => members));
  return [
    el(
      'linked_groups_participants',
      {},
      [...all].map((member) => addressed(member, group.addressing)),
    ),
  ];
};

const endCommunity: InGroup = (exchange, { group, by }) => {
  for (const each of exchange.groups.in(group)) each.parent = null;
  tellGroup(exchange, group, by, group.members, [el('delete', { reason: 'delete_parent' }, [])]);
  exchange.groups.remove(group);
  return [];
};

export const GROUP_QUERIES: Readonly<Record<string, Query>> = {
  'w:g2/set/description': inGroup(describe),
  'w:g2/set/announcement': changing(() => ({ announce: true })),
  'w:g2/set/not_announcement': changing(() => ({ announce: false })),
  'w:g2/set/locked': changing(() => ({ restrict: true })),
  'w:g2/set/unlocked': changing(() => ({ restrict: false })),
  'w:g2/set/ephemeral': changing(({ attrs }) => ({ ephemeral: Number(attrs['expiration']) })),
  'w:g2/set/not_ephemeral': changing(() => ({ ephemeral: 0 })),
  'w:g2/set/membership_approval_mode': changing((asked) => ({ joinApproval: children(asked, 'group_join')[0]?.attrs['state'] === 'on' })),
  'w:g2/set/member_add_mode': changing((asked) => ({ memberAddMode: textOf(asked) })),
  'w:g2/get/invite': preview,
  'w:g2/set/invite': join,
  'w:g2/get/membership_approval_requests': inGroup(requests, true),
  'w:g2/set/membership_requests_action': inGroup(answerRequests, true),
  'w:g2/get/sub_groups': inGroup(subGroups),
  'w:g2/set/links': inGroup(linkGroups(true), true),
  'w:g2/set/unlink': inGroup(linkGroups(false), true),
  'w:g2/get/linked_groups_participants': inGroup(linkedPeople),
  'w:g2/set/delete_parent': inGroup(endCommunity, true),
};
