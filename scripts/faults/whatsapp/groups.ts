import { isDeepStrictEqual } from 'node:util';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { at, present } from '../../../runtime/invariant.ts';
import type { Peer } from '../../../test/network-peer/peer.ts';
import type { Group } from '../../../test/network-peer/server/groups.ts';
import { type Answer, expected } from '../caller.ts';
import { until } from '../processes.ts';
import { CONTACTS, type KillWorld, SHOP } from './world.ts';

interface Tally {
  readonly answered: string[];
  readonly tried: string[];
}

const ANNA = at(CONTACTS, 0);
/** A phone that cannot be added to groups, only invited. */
const GUARDED = '6281100000014';

/** Each action uses its own group, so that the final state shows which actions were carried out. */
export async function groupBurst(world: KillWorld, said: Tally, next: () => number): Promise<void> {
  const nth = next();
  const acts = nth % 2 === 0 ? [create, add, rename] : [letIn, remove, gather];
  await Promise.all(acts.map((act) => act(world, said, nth)));
}

type Act = (world: KillWorld, said: Tally, nth: number) => Promise<void>;

const create: Act = (world, said, nth) => keyed(world, said, `group ${nth}`);

const add: Act = (world, said, nth) => {
  ownGroup(world.peer, `team ${nth}`);
  return keyed(world, said, `team ${nth}`);
};

const rename: Act = async (world, said, nth) => {
  const { jid } = ownGroup(world.peer, `to be renamed ${nth}`);
  said.tried.push(`renamed ${nth}`);
  await asked(world, 'PATCH', `groups/${jid}`, { subject: `renamed ${nth}` });
};

const letIn: Act = async (world, said, nth) => {
  const group = ownGroup(world.peer, `choir ${nth}`);
  group.requests.add(world.peer.phone(newcomer(nth)).account);
  said.tried.push(group.subject);
  await asked(world, 'POST', `groups/${group.jid}/requests`, { action: 'approve', phones: [newcomer(nth)] });
};

const remove: Act = async (world, said, nth) => {
  const { jid, subject } = ownGroup(world.peer, `club ${nth}`, [newcomer(nth)]);
  said.tried.push(subject);
  await asked(world, 'POST', `groups/${jid}/participants`, { action: 'remove', participants: [newcomer(nth)] });
};

const gather: Act = async (world, said, nth) => {
  const room = ownGroup(world.peer, `room ${nth}`);
  const subject = `community ${nth}`;
  said.tried.push(subject, room.subject);
  const made = await asked(world, 'POST', 'communities', { subject });
  if (made?.status !== 201) return;
  said.answered.push(subject);
  await asked(world, 'POST', `communities/${made.body.id}/groups`, { group_id: room.jid });
};

const asked = ({ api, path }: KillWorld, method: string, rest: string, body: object, key?: string): Promise<Answer | null> =>
  api(method, `${path}/${rest}`, body, key === undefined ? {} : { 'idempotency-key': key.replaceAll(' ', '-') }).catch(() => null);

async function keyed(world: KillWorld, said: Tally, name: string): Promise<void> {
  said.tried.push(name);
  const answer = await askedByName(world, name);
  if (answer === null || !isDone(answer)) return;
  world.answers.set(name, answer.body);
  said.answered.push(name);
}

function askedByName(world: KillWorld, name: string): Promise<Answer | null> {
  if (name.startsWith('group ')) return asked(world, 'POST', 'groups', { subject: name, participants: [ANNA, GUARDED] }, name);
  const { jid } = present(
    groupsOf(world.peer).find(({ subject }) => subject === name),
    name,
  );
  const participants = [newcomer(Number(name.split(' ')[1])), GUARDED];
  return asked(world, 'POST', `groups/${jid}/participants`, { action: 'add', participants, invite_refused: true }, name);
}

const isMade = (subject: string): boolean => /^(group|community) /.test(subject);
const isKeyed = (name: string): boolean => name.startsWith('group ') || name.startsWith('team ');
const isDone = ({ status }: Answer): boolean => status === 200 || status === 201;

const newcomer = (nth: number): string => `62816${10_000_000 + nth}`;

const groupsOf = (peer: Peer): readonly Group[] => peer.groups.of(peer.phone(SHOP).account);

function ownGroup(peer: Peer, subject: string, others: readonly string[] = []): Group {
  peer.phone(GUARDED).account.isAddable = false;
  return peer.group([SHOP, ANNA, ...others], { subject });
}

/** Also returns the groups of received invitations, once for each copy of an invitation. */
export function groupsOn(peer: Peer): readonly string[] {
  const made = groupsOf(peer).filter(({ kind, subject }) => kind !== 'announcements' && isMade(subject));
  const invitations = peer
    .phone(GUARDED)
    .shows()
    .flatMap(({ message }) => message.groupInviteMessage?.groupName ?? []);
  return [...made.map(({ subject }) => subject), ...invitations];
}

export function owedOfGroups(peer: Peer, tried: readonly string[]): readonly string[] {
  const names = new Set(tried);
  const renamed = (subject: string): string => subject.replace('to be renamed', 'renamed');
  return groupsOf(peer)
    .filter(({ subject }) => names.has(renamed(subject)))
    .flatMap((group) => changesOf(peer, group).map((what) => `${what} ${group.subject}`));
}

function changesOf(peer: Peer, { subject, members, parent, kind }: Group): readonly string[] {
  const [word = '', nth = ''] = subject.split(' ');
  const isIn = members.includes(peer.phone(newcomer(Number(nth))).account);
  const when = (isSo: boolean, what: string): readonly string[] => (isSo ? [what] : []);
  switch (word) {
    case 'group':
      return ['joined'];
    case 'community':
      return [kind === 'announcements' ? 'announcing' : 'joined'];
    case 'team':
    case 'choir':
      return when(isIn, 'added');
    case 'club':
      return when(!isIn, 'left');
    case 'room':
      return when(parent !== null, 'linked');
    default:
      return when(word === 'renamed', 'named');
  }
}

export function toldOfGroup(peer: Peer, type: string, data: Answer['body']): readonly string[] {
  const subject = peer.groups.get(data.group_id ?? '')?.subject;
  if (type === 'group.joined') return [`${data.group.community === null ? 'joined' : 'announcing'} ${subject}`];
  if (type === 'group.participants') return [`${data.action === 'add' ? 'added' : 'left'} ${subject}`];
  if (type !== 'group.updated') return [];
  return data.changed.subject === undefined ? [`linked ${subject}`] : [`named ${data.changed.subject}`];
}

export async function groupsHere({ api, path }: KillWorld): Promise<readonly string[]> {
  const { groups } = expected(await api('GET', `${path}/groups`), 200);
  const { communities } = expected(await api('GET', `${path}/communities`), 200);
  return [...groups, ...communities].map(({ subject }: { subject: string }) => subject).filter(isMade);
}

const ANSWERED_WITHIN_MS = 180_000;
const ASKED_EVERY_MS = 2_000;

/** Resends keyed requests until they get a response, beginning with those that took effect. */
export async function askAgainByKey(world: KillWorld, { answered, tried }: Tally): Promise<void> {
  const known = new Set(answered);
  const isDoneThere = (name: string): boolean => owedOfGroups(world.peer, [name]).length > 0;
  const open = ['group ', 'team '].flatMap((kind) => {
    const all = tried.filter((name) => name.startsWith(kind) && !known.has(name));
    return all.findLast(isDoneThere) ?? all.at(-1) ?? [];
  });
  for (const name of open) if (await answeredAtLast(world, name)) answered.push(name);
}

export async function keysUnlike(world: KillWorld, { answered }: Tally): Promise<number> {
  let unlike = 0;
  for (const name of answered.filter(isKeyed)) {
    const again = await askedByName(world, name);
    if (!again || !isDone(again) || !isDeepStrictEqual(again.body, world.answers.get(name))) unlike += 1;
  }
  return unlike;
}

async function answeredAtLast(world: KillWorld, name: string): Promise<boolean> {
  const isAnswered = await until(ANSWERED_WITHIN_MS, async () => {
    await pause(systemClock, ASKED_EVERY_MS);
    const answer = await askedByName(world, name);
    if (answer === null || !isDone(answer)) return false;
    world.answers.set(name, answer.body);
    return true;
  });
  return isAnswered === true;
}
