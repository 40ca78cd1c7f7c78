import { at } from '../../../runtime/invariant.ts';
import type { Peer } from '../../../test/network-peer/peer.ts';
import { type Answer, expected } from '../caller.ts';
import { until } from '../processes.ts';
import { featureBurst, madeOn, owedOf, shownHere, toldBy } from './features.ts';
import { groupBurst, groupsOn, owedOfGroups } from './groups.ts';
import { CONTACTS, type KillWorld, SHOP } from './world.ts';

const SENT_PER_BURST = 4;
const WRITTEN_PER_BURST = 2;
const REFUSED_PER_BURST = 2;
/** A burst is given so long to pass before the next one. */
const PASSES_WITHIN_MS = 300;

/** What goes both ways while a gateway is killed: texts; texts of which some are refused for the moment; texts to people never written to, of whose addresses the network refuses one; texts to a group and from it; files; what uses one-time keys up; posts, statuses, labels and blocks; changes of
 * groups and communities. */
export const TRAFFICS = ['texts', 'refused', 'addresses', 'group', 'files', 'pre-keys', 'features', 'groups'] as const;
export type Traffic = (typeof TRAFFICS)[number];

/** What callers were answered, and what phones wrote. */
export interface Said {
  /** Answered 202, or 201. */
  readonly answered: string[];
  /** What is there once at most, whether somebody was answered or not. */
  readonly tried: string[];
  readonly written: string[];
  /** Digits of phones that wrote STOP. */
  readonly stopped: string[];
}

export const nothingSaid = (): Said => ({ answered: [], tried: [], written: [], stopped: [] });

let serial = 0;
const next = (): number => {
  serial += 1;
  return serial;
};

export const SAID = ['answered', 'tried', 'written', 'stopped'] as const;

/** One burst, and a while in which it may pass. */
export async function burst(world: KillWorld, traffic: Traffic, said: Said): Promise<void> {
  const own = nothingSaid();
  const many = (count: number, work: () => Promise<void>) => Array.from({ length: count }, work);
  if (traffic === 'pre-keys') useUpKeys(world.peer);
  if (traffic === 'refused') world.peer.fault({ kind: 'refuse-messages', code: 503, phone: SHOP, times: REFUSED_PER_BURST });
  if (said.answered.length === 0 && said.stopped.length === 0) moveChats(world.peer, traffic);
  if (traffic === 'features') await featureBurst(world, own, next);
  else if (traffic === 'groups') await groupBurst(world, own, next);
  else
    await Promise.all([
      ...many(SENT_PER_BURST, () => send(world, traffic, own)),
      ...many(WRITTEN_PER_BURST, () => write(world, traffic, own)),
      stop(world, own),
    ]);
  for (const what of SAID) said[what].push(...own[what]);
  await until(PASSES_WITHIN_MS, async () => !world.isAlive || isOnPhones(world.peer, own.answered));
}

async function send(world: KillWorld, traffic: Traffic, said: Said): Promise<void> {
  const nth = next();
  const body = `out ${nth}`;
  const to = traffic === 'group' ? world.group : traffic === 'addresses' ? stranger(nth) : at(CONTACTS, nth % CONTACTS.length);
  const what = traffic === 'files' ? { type: 'image', media_r2_key: world.file, caption: body } : { type: 'text', body };
  const answer = await world.api('POST', `${world.path}/messages`, { chat_id: to, ...what, connect_only: false }).catch(() => null);
  if (answer?.status === 202) said.answered.push(body);
}

/** Those who were written to without having written. */
const strangers = new Set<string>();

function stranger(nth: number): string {
  const digits = `62814${10_000_000 + nth}`;
  strangers.add(digits);
  return digits;
}

async function write(world: KillWorld, traffic: Traffic, said: Said): Promise<void> {
  const nth = next();
  const body = `in ${nth}`;
  const contact = world.peer.contact(at(CONTACTS, nth % CONTACTS.length));
  if (traffic === 'files')
    await contact.sendsFile(SHOP, { kind: 'image', bytes: Buffer.from(body), contentType: 'image/png', caption: body });
  else await contact.writes(traffic === 'group' ? world.group : SHOP, body);
  said.written.push(body);
}

/** Somebody who never wrote before wants no more messages. */
async function stop({ peer }: KillWorld, said: Said): Promise<void> {
  const digits = `62813${10_000_000 + next()}`;
  await peer.contact(digits).writes(SHOP, 'STOP');
  said.stopped.push(digits);
}

let isMoved = false;

/** Nothing is under way: the account's chats were moved, or moved back, which nobody tells; for other traffic both kinds of address are taken. */
function moveChats(peer: Peer, traffic: Traffic): void {
  isMoved = traffic === 'addresses' && !isMoved;
  peer.phone(SHOP).isMigrated(traffic === 'addresses' ? isMoved : null, { tells: false, devicesByNumber: true });
}

/** The network has few one-time keys left of the device, and says so with the next one that it gives away. */
function useUpKeys(peer: Peer): void {
  for (const { preKeys } of peer.phone(SHOP).linked) preKeys.splice(0, preKeys.length - 5);
}

const isOnPhones = (peer: Peer, bodies: readonly string[]): boolean => {
  const shown = new Set(shownBy(peer));
  return bodies.every((body) => shown.has(body));
};

/** The texts that phones show, each as often as there are messages of it, and the names of what is made on the network. */
export function shownBy(peer: Peer): readonly string[] {
  const [anna, ...others] = [...CONTACTS, ...strangers].map((digits) => peer.contact(digits));
  const direct = others.flatMap((one) => one.shows().filter(({ chat }) => !chat.endsWith('@g.us')));
  return [
    ...[...(anna?.shows() ?? []), ...direct].filter(({ from }) => from === SHOP).map(({ text }) => text),
    ...madeOn(peer),
    ...groupsOn(peer),
  ];
}

/** The confirmations that phones which wrote STOP show, by their digits. */
export const confirmedBy = (peer: Peer, stopped: readonly string[]): readonly string[] =>
  stopped.flatMap((digits) =>
    peer
      .contact(digits)
      .shows()
      .filter(({ from }) => from === SHOP)
      .map(() => digits),
  );

/** What must be told of what was done: each change that the network made. */
export const owed = (peer: Peer, said: Said): readonly string[] => [...owedOf(peer, said), ...owedOfGroups(peer, said.tried)];

/** Nothing lies on the network for the device. */
const isTaken = (peer: Peer): boolean => peer.phone(SHOP).linked.every(({ mailbox }) => mailbox.waiting.length === 0);

/** All that was said has arrived. Gives up in time: what is missing then is the verdict's to say. */
export async function settled(world: KillWorld, since: number, said: Said, withinMs: number): Promise<void> {
  await until(withinMs, async () => {
    if (!isOnPhones(world.peer, said.answered) || !isTaken(world.peer)) return false;
    const here = await shownHere(world);
    const inLog = new Set([...(await bodies(world, `direction=inbound&since=${since}`)), ...(await toldBy(world)), ...here]);
    if (![...said.written, ...owed(world.peer, said)].every((body) => inLog.has(body))) return false;
    const out = new Set(await optedOut(world));
    return said.stopped.every((digits) => out.has(digits)) && (await bodies(world, `status=queued&since=${since}`)).length === 0;
  });
}

/** The bodies of all messages in the log that fit. */
export function bodies({ api, path }: KillWorld, query: string): Promise<readonly string[]> {
  return paged(
    (more) => api('GET', `${path}/messages?${query}&limit=200${more}`),
    ({ messages }) => messages.map(({ body }: { body: string }) => body),
  );
}

/** Digits of all who are opted out. */
export function optedOut({ api }: KillWorld): Promise<readonly string[]> {
  return paged(
    (more) => api('GET', `/v1/consent?status=opted_out&limit=200${more}`),
    ({ consent }) => consent.map(({ phone }: { phone: string }) => phone.replace('+', '')),
  );
}

type Page = Answer['body'];

async function paged(read: (more: string) => Promise<Answer>, of: (page: Page) => readonly string[]): Promise<readonly string[]> {
  const all: string[] = [];
  for (let more: string | null = ''; more !== null; ) {
    const page: Page = expected(await read(more), 200);
    all.push(...of(page));
    more = page.next_before === null ? null : `&before=${page.next_before}&before_id=${page.next_before_id}`;
  }
  return all;
}
