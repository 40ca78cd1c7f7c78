import { pause, systemClock } from '../../../runtime/clock.ts';
import { at } from '../../../runtime/invariant.ts';
import type { Peer } from '../../../test/network-peer/peer.ts';
import { type Answer, expected } from '../caller.ts';
import { until } from '../processes.ts';
import { toldOfGroup } from './groups.ts';
import { CONTACTS, type KillWorld, SHOP } from './world.ts';

interface Tally {
  readonly answered: string[];
  readonly tried: string[];
  readonly written: string[];
}

const ANNA = at(CONTACTS, 0);

export async function featureBurst(world: KillWorld, said: Tally, next: () => number): Promise<void> {
  const nth = next();
  onThePhone(world.peer, said, nth);
  await Promise.all([
    publish(world, said, `post ${nth}`, 'messages', { chat_id: world.channel, connect_only: false }),
    publish(world, said, `status ${nth}`, 'status', { recipients: [ANNA] }),
    nth % 2 === 0
      ? make(world, said, 'labels', { name: `label ${nth}`, color: 3 })
      : make(world, said, 'channels', { name: `channel ${nth}` }),
  ]);
}

async function publish(world: KillWorld, said: Tally, body: string, where: string, more: object): Promise<void> {
  const answer = await world.api('POST', `${world.path}/${where}`, { type: 'text', body, ...more }).catch(() => null);
  if (answer?.status === 202) said.answered.push(body);
}

/** Does not retry the request if its result is unknown. */
async function make(
  world: KillWorld,
  said: Tally,
  where: 'labels' | 'channels',
  what: { readonly name: string; readonly color?: number },
): Promise<void> {
  said.tried.push(what.name);
  const answer = await world.api('POST', `${world.path}/${where}`, what).catch(() => null);
  if (answer?.status === 201) said.answered.push(what.name);
}

/**
 * Makes changes by hand on the phone: a new label with the next free id, a marked person and a
 * blocked person.
 */
function onThePhone(peer: Peer, said: Tally, nth: number): void {
  const { app } = peer.phone(SHOP);
  const id = String(1 + Math.max(0, ...app.labels.map((label) => Number(label.id))));
  const stranger = peer.phone(`62814${10_000_000 + nth}`);
  app.setsLabel(id, { name: `by hand ${nth}`, color: 4 });
  app.marks(id, stranger.digits);
  app.blocks(stranger.digits);
  said.written.push(`label by hand ${nth}`, `mark ${stranger.lid}`, `block ${stranger.lid}`);
}

export function madeOn(peer: Peer): readonly string[] {
  return [...peer.phone(SHOP).app.labels, ...peer.channels.all].map(({ name }) => name);
}

/** Expects one event for each label and channel on the network, and for Anna's view of each status. */
export function owedOf(peer: Peer, { tried, answered }: Pick<Tally, 'tried' | 'answered'>): readonly string[] {
  const made = new Set(madeOn(peer));
  const told = tried.filter((name) => made.has(name)).map((name) => (isLabel(name) ? `label ${name}` : `joined ${name}`));
  return [...told, ...answered.filter(isStatus).map((body) => `seen ${body}`)];
}

const isLabel = (name: string): boolean => name.startsWith('label ');
const isStatus = (body: string): boolean => body.startsWith('status ');
const isChannelName = (name: string): boolean => name.startsWith('channel ');

const MADE_WITHIN_MS = 180_000;
const ASKED_EVERY_MS = 2_000;

export async function askAgain(world: KillWorld, { tried, answered }: Pick<Tally, 'tried' | 'answered'>): Promise<void> {
  const [known, made] = [new Set(answered), new Set(madeOn(world.peer))];
  const name = tried.findLast((one) => isChannelName(one) && made.has(one) && !known.has(one));
  if (name === undefined) return;
  const isMade = await until(MADE_WITHIN_MS, async () => {
    await pause(systemClock, ASKED_EVERY_MS);
    return (await world.api('POST', `${world.path}/channels`, { name })).status === 201;
  });
  if (isMade) answered.push(name);
}

export async function toldBy(world: KillWorld): Promise<readonly string[]> {
  const told: string[] = [];
  for (let after = ''; ; ) {
    const page: Answer['body'] = expected(await world.api('GET', `/v1/events/pull?limit=200${after}`), 200);
    told.push(...page.events.flatMap((event: Told) => nameOf(world.peer, event)));
    if (page.events.length === 0) return told;
    after = `&after=${page.next}`;
  }
}

interface Told {
  readonly type: string;
  readonly data: Answer['body'];
}

function nameOf(peer: Peer, { type, data }: Told): readonly string[] {
  if (type === 'label.updated') return [`label ${data.label.name}`];
  if (type === 'label.assigned') return [`mark ${data.chat.lid}`];
  if (type === 'channel.joined') return [`joined ${data.channel.name}`];
  if (type === 'blocklist.changed') return data.blocked.map(({ lid }: { lid: string }) => `block ${lid}`);
  return type.startsWith('group.') ? toldOfGroup(peer, type, data) : [];
}

export async function shownHere({ api, path }: KillWorld): Promise<readonly string[]> {
  const { labels } = expected(await api('GET', `${path}/labels`), 200);
  const known: string[] = labels.map(({ name }: { name: string }) => name);
  for (let more = ''; ; ) {
    const page: Answer['body'] = expected(await api('GET', `${path}/status?limit=200${more}`), 200);
    for (const { status, body, view_count } of page.status)
      if (status === 'sent') known.push(body, ...Array.from({ length: view_count }, () => `seen ${body}`));
    if (page.next_before === null) return known;
    more = `&before=${page.next_before}&before_id=${page.next_before_id}`;
  }
}

export async function channelsHere({ api, path }: KillWorld): Promise<readonly string[]> {
  const { channels } = expected(await api('GET', `${path}/channels`), 200);
  return channels.map(({ name }: { name: string }) => name);
}
