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
const PASSES_WITHIN_MS = 300;

/** In `addresses`, the network refuses one of the two kinds of addresses for new people. */
export const TRAFFICS = ['texts', 'refused', 'addresses', 'group', 'files', 'pre-keys', 'features', 'groups'] as const;
export type Traffic = (typeof TRAFFICS)[number];

export interface Said {
  readonly answered: string[];
  /** Names that may exist at most once, whether or not the request got a response. */
  readonly tried: string[];
  readonly written: string[];
  readonly stopped: string[];
}

export const nothingSaid = (): Said => ({ answered: [], tried: [], written: [], stopped: [] });

let serial = 0;
const next = (): number => {
  serial += 1;
  return serial;
};

export const SAID = ['answered', 'tried', 'written', 'stopped'] as const;

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

async function stop({ peer }: KillWorld, said: Said): Promise<void> {
  const digits = `62813${10_000_000 + next()}`;
  await peer.contact(digits).writes(SHOP, 'STOP');
  said.stopped.push(digits);
}

let isMoved = false;

/**
 * Call this only while no message is pending. Only the traffic `addresses` switches between the two
 * kinds of addresses; all other traffic accepts both.
 */
function moveChats(peer: Peer, traffic: Traffic): void {
  isMoved = traffic === 'addresses' && !isMoved;
  peer.phone(SHOP).isMigrated(traffic === 'addresses' ? isMoved : null, { tells: false, devicesByNumber: true });
}

function useUpKeys(peer: Peer): void {
  for (const { preKeys } of peer.phone(SHOP).linked) preKeys.splice(0, preKeys.length - 5);
}

const isOnPhones = (peer: Peer, bodies: readonly string[]): boolean => {
  const shown = new Set(shownBy(peer));
  return bodies.every((body) => shown.has(body));
};

export function shownBy(peer: Peer): readonly string[] {
  const [anna, ...others] = [...CONTACTS, ...strangers].map((digits) => peer.contact(digits));
  const direct = others.flatMap((one) => one.shows().filter(({ chat }) => !chat.endsWith('@g.us')));
  return [
    ...[...(anna?.shows() ?? []), ...direct].filter(({ from }) => from === SHOP).map(({ text }) => text),
    ...madeOn(peer),
    ...groupsOn(peer),
  ];
}

export const confirmedBy = (peer: Peer, stopped: readonly string[]): readonly string[] =>
  stopped.flatMap((digits) =>
    peer
      .contact(digits)
      .shows()
      .filter(({ from }) => from === SHOP)
      .map(() => digits),
  );

export const owed = (peer: Peer, said: Said): readonly string[] => [...owedOf(peer, said), ...owedOfGroups(peer, said.tried)];

const isTaken = (peer: Peer): boolean => peer.phone(SHOP).linked.every(({ mailbox }) => mailbox.waiting.length === 0);

/** After a timeout, simply continues, because the verdict reports missing messages anyway. */
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

export function bodies({ api, path }: KillWorld, query: string): Promise<readonly string[]> {
  return paged(
    (more) => api('GET', `${path}/messages?${query}&limit=200${more}`),
    ({ messages }) => messages.map(({ body }: { body: string }) => body),
  );
}

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
