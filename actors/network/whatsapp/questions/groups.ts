import { asError, codeOf, Refusal } from '../../../../runtime/errors.ts';
import type { AtGroup, GroupQuestions, GroupRecord, GroupSettings, MemberResult } from '../../groups.ts';
import { isLid, userJid } from '../../jid.ts';
import { networkRefusal } from '../../network-refusal.ts';
import { personAt, withoutDevice } from '../../person.ts';
import { type Answers, LOOK_FIRST } from '../../questions.ts';
import type { BinaryNode } from '../library.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { setPicture } from './picture.ts';
import { type Asker, child, children, el, query } from './query.ts';
import { groupJid, readGroup, readMember } from './read-group.ts';

type Context = ConnectionContext;
type Part<Prefix extends string> = Pick<GroupQuestions, Extract<keyof GroupQuestions, `${Prefix}.${string}`>>;

const ALL = '@g.us';

const get = (context: Asker, to: string, ...content: BinaryNode[]): Promise<BinaryNode> =>
  query(context, { xmlns: 'w:g2', type: 'get', to, content });
const set = (context: Context, to: string, ...content: BinaryNode[]): Promise<BinaryNode> =>
  query(context, { xmlns: 'w:g2', type: 'set', to, content });

export async function listGroups(context: Asker): Promise<readonly GroupRecord[]> {
  const answer = await get(context, ALL, el('participating', {}, [el('participants'), el('description')]));
  return children(child(answer, 'groups') ?? answer, 'group').map(readGroup);
}

export async function getGroup(context: Asker, { id }: AtGroup): Promise<GroupRecord> {
  return groupIn(await get(context, id, el('query', { request: 'interactive' })));
}

export const groupAnswers: Answers<Context, Part<'groups'>> = {
  'groups.list': listGroups,
  'groups.get': getGroup,

  async 'groups.create'(context, { subject, participants, community }) {
    const key = context.library.generateMessageIDV2();
    const parent = community === null ? [] : [el('linked_parent', { jid: community })];
    const answer = await set(context, ALL, el('create', { subject, key }, [...participants.map(named), ...parent]));
    const group = madeIn(answer);
    const said = children(child(answer, 'group') ?? answer, 'participant');
    const members = group.members.filter(({ id }) => !said.some(({ attrs }) => attrs['error'] && withoutDevice(attrs['jid'] ?? '') === id));
    return { group: { ...group, members, size: members.length }, results: participants.map((digits) => resultOf(digits, said)) };
  },

  async 'groups.set'(context, { id, change }) {
    if (change.description !== undefined) await describe(context, id, change.description);
    for (const stanza of settings(change)) await set(context, id, stanza);
    return null;
  },

  'groups.leave': async (context, { id }) => nothing(await set(context, ALL, el('leave', {}, [el('group', { id })]))),

  async 'groups.participants'(context, { id, action, participants, isCommunity = false }) {
    const attrs = isCommunity && action === 'remove' ? { linked_groups: 'true' } : {};
    const answer = await set(context, id, el(action, attrs, participants.map(named)));
    const said = children(child(answer, action) ?? answer, 'participant');
    return participants.map((one) => resultOf(one, said));
  },

  'groups.invite': async (context, { id }) => codeIn(await get(context, id, el('invite'))),
  'groups.renewInvite': async (context, { id }) => codeIn(await set(context, id, el('invite'))),

  async 'groups.preview'(context, { code }) {
    const { id, subject, size } = groupIn(await get(context, ALL, el('invite', { code })));
    return { id, subject, size };
  },

  /** If admins must approve members, the response contains a join request. */
  async 'groups.join'(context, { code }) {
    const answer = await set(context, ALL, el('invite', { code }));
    const asked = child(answer, 'membership_approval_request');
    const id = (asked ?? child(answer, 'group'))?.attrs['jid'];
    return { id: id === undefined ? null : groupJid(id), isMember: asked === undefined };
  },

  'groups.requests': async (context, { id }) => (await requestsOf(context, id)).map(({ person }) => person),

  async 'groups.answerRequests'(context, { id, action, phones }) {
    const requests = await requestsOf(context, id);
    const known = phones.map((one) => {
      const request = requests.find(({ person: { phone, lid } }) => phone === one || lid === one);
      return { one, jid: request?.jid ?? jidOf(one) };
    });
    const content = known.map(({ jid }) => el('participant', { jid }));
    const answer = await set(context, id, el('membership_requests_action', {}, [el(action, {}, content)]));
    const said = children(child(child(answer, 'membership_requests_action') ?? answer, action) ?? answer, 'participant');
    return known.map(({ one, jid }) => resultOf(one, said, jid));
  },

  'groups.setPicture': setPicture,
};

export const communityAnswers: Answers<Context, Part<'communities'>> = {
  async 'communities.create'(context, { subject, description }) {
    const id = context.library.generateMessageIDV2();
    const body = description === null ? [] : [el('description', { id }, [el('body', {}, description)])];
    const parts = [...body, el('parent', { default_membership_approval_mode: 'request_required' })];
    const more = [el('allow_non_admin_sub_group_creation'), el('create_general_chat')];
    return madeIn(await set(context, ALL, el('create', { subject }, [...parts, ...more])));
  },

  'communities.end': async (context, { id }) => nothing(await set(context, id, el('delete_parent'))),

  async 'communities.groups'(context, { id }) {
    const answer = await get(context, id, el('sub_groups'));
    return children(child(answer, 'sub_groups') ?? answer, 'group').map((node) => ({
      id: groupJid(node.attrs['id'] ?? ''),
      subject: node.attrs['subject'] ?? '',
      size: node.attrs['size'] ? Number(node.attrs['size']) : null,
      isAnnouncement: child(node, 'default_sub_group') !== undefined,
    }));
  },

  async 'communities.link'(context, { id, group }) {
    const link = el('link', { link_type: 'sub_group' }, [el('group', { jid: group })]);
    return refusedAny(await set(context, id, el('links', {}, [link])), group);
  },

  async 'communities.unlink'(context, { id, group }) {
    const unlink = el('unlink', { unlink_type: 'sub_group' }, [el('group', { jid: group, remove_orphaned_members: 'true' })]);
    return refusedAny(await set(context, id, unlink), group);
  },

  async 'communities.participants'(context, { id }) {
    const answer = await get(context, id, el('linked_groups_participants'));
    return children(child(answer, 'linked_groups_participants') ?? answer, 'participant').map(readMember);
  },
};

const jidOf = (one: string): string => (one.includes('@') ? one : userJid(one));
const named = (one: string): BinaryNode => el('participant', { jid: jidOf(one) });
const nothing = (_answer: BinaryNode): null => null;

function groupIn(answer: BinaryNode): GroupRecord {
  const group = child(answer, 'group');
  if (!group) throw networkRefusal(404);
  return readGroup(group);
}

/** Returns the created group. Without a group or a refusal in the response, the outcome is unknown. */
function madeIn(answer: BinaryNode): GroupRecord {
  const group = child(answer, 'group');
  if (!group) throw new Refusal('DEVICE_TIMEOUT', { reason: LOOK_FIRST });
  return readGroup(group);
}

function codeIn(answer: BinaryNode): { readonly code: string } {
  const code = child(answer, 'invite')?.attrs['code'];
  if (!code) throw networkRefusal(404);
  return { code };
}

/** Returns a person's result. The response may name them by either address and omits successes. */
function resultOf(one: string, said: readonly BinaryNode[], jid = jidOf(one)): MemberResult {
  const address = jidOf(one);
  const own = said.find(({ attrs: { jid: of, phone_number, lid } }) => of === jid || [of, phone_number, lid].includes(address));
  const request = child(own, 'add_request');
  const { code, expiration } = request?.attrs ?? {};
  const { jid: of, phone_number: phone, lid } = own?.attrs ?? {};
  const other = [of, lid, phone].find((also) => also !== undefined && isLid(also) !== isLid(address));
  return {
    person: personAt(address, other ?? null),
    code: own?.attrs['error'] ? Number(own.attrs['error']) : null,
    invite: code ? { code, expiresAt: Number(expiration ?? 0) * 1_000 } : null,
  };
}

function settings(change: GroupSettings): readonly BinaryNode[] {
  const { subject, announce, restrict, ephemeral, join_approval, member_add_mode } = change;
  const expiration = String(ephemeral);
  return [
    ...(subject === undefined ? [] : [el('subject', {}, Buffer.from(subject))]),
    ...(announce === undefined ? [] : [el(announce ? 'announcement' : 'not_announcement')]),
    ...(restrict === undefined ? [] : [el(restrict ? 'locked' : 'unlocked')]),
    ...(ephemeral === undefined ? [] : [ephemeral === 0 ? el('not_ephemeral') : el('ephemeral', { expiration })]),
    ...(join_approval === undefined
      ? []
      : [el('membership_approval_mode', {}, [el('group_join', { state: join_approval ? 'on' : 'off' })])]),
    ...(member_add_mode === undefined ? [] : [el('member_add_mode', {}, member_add_mode === 'admins' ? 'admin_add' : 'all_member_add')]),
  ];
}

/** The network requires the id of the old description. Tries again once if another admin got there first. */
async function describe(context: Context, id: string, description: string | null): Promise<void> {
  try {
    await describeOnce(context, id, description);
  } catch (cause) {
    if (codeOf(cause) !== 'CONFLICT') throw asError(cause);
    await describeOnce(context, id, description);
  }
}

async function describeOnce(context: Context, id: string, description: string | null): Promise<void> {
  const answer = await get(context, id, el('query', { request: 'interactive' }));
  const prev = child(child(answer, 'group'), 'description')?.attrs['id'];
  const own = context.library.generateMessageIDV2();
  const stanza = description
    ? el('description', { id: own, prev }, [el('body', {}, Buffer.from(description))])
    : el('description', { delete: 'true', prev });
  await set(context, id, stanza);
}

async function requestsOf(context: Context, id: string) {
  const answer = await get(context, id, el('membership_approval_requests'));
  return children(child(answer, 'membership_approval_requests') ?? answer, 'membership_approval_request').map(({ attrs }) => ({
    jid: attrs['jid'] ?? '',
    person: personAt(attrs['jid'] ?? '', attrs['phone_number'] ?? null, null, attrs['username'] ?? null),
  }));
}

/** Throws if the network refused this group. The network may refuse one group and accept others. */
function refusedAny(answer: BinaryNode, group: string): null {
  const groups = [answer, ...children(answer)].flatMap((node) => [node, ...children(node)]).flatMap((node) => children(node, 'group'));
  const error = groups.find(({ attrs }) => attrs['jid'] === group)?.attrs['error'] ?? child(groups[0], 'error')?.attrs['code'];
  if (error) throw networkRefusal(Number(error));
  return null;
}
