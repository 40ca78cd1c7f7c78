import type { GroupQuestions, GroupRecord } from '../groups.ts';
import { userJid } from '../jid.ts';
import { lidOf } from './addresses.ts';
import type { SandboxAnswers } from './answers.ts';
import type { Group } from './groups.ts';
import type { Inboxes } from './inboxes.ts';
import type { Phones } from './phones.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

/** What the network answers about groups and communities. */
export function groupAnswers({ groups, phones }: SandboxDeps, _inboxes: Inboxes): SandboxAnswers<GroupQuestions> {
  return {
    'groups.list': ({ phone }) => groups.of(phone).map((group) => recordOf(group, phones)),
    'groups.get': ({ phone }, { id }) => recordOf(groups.seenBy(phone, id), phones),
  };
}

/** A group as the network tells it. */
function recordOf(group: Group, phones: Phones): GroupRecord {
  const { id, subject, owner, createdAt, members, description, announce, restrict, ephemeral, joinApproval, memberAddMode } = group;
  return {
    ...{ id, subject, owner: userJid(owner), creation: Math.floor(createdAt / 1_000), description, size: members.size },
    ...{ announce, restrict, ephemeral, joinApproval, memberAddMode, community: group.community, isCommunity: group.isCommunity },
    members: [...members].map(([digits, admin]) => ({ id: userJid(digits), ...personOf(phones, digits), admin })),
  };
}

/** The person behind a number, as others are told of them. */
function personOf(phones: Phones, digits: string) {
  const { lid, name } = phones.named(digits);
  return { phone: digits, lid: lid ? lidOf(digits) : null, name };
}
