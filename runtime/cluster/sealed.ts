/**
 * A coordination service in which only nodes with the same secret can write messages, members and
 * leases, and only they can read messages and members.
 *
 * - A message opens once, on its own channel, within a minute.
 * - A member opens under its own key, within a minute, and not after a later one of the same
 *   process.
 * - The holder of a lease is valid under its own key. A node that is sure of its lease writes the
 *   lease again if it finds a value that no node wrote, or an earlier acquisition that someone
 *   restored.
 *
 * Counters are not sealed. Anyone who can write to Redis can still delete data, which stops or
 * slows the cluster as flushing Redis does. They cannot read or send messages, and epochs in the
 * store decide which node writes. Rejected values are logged, at most once a minute.
 */

import type { Clock } from '../clock.ts';
import { at } from '../invariant.ts';
import { isRecord } from '../shapes.ts';
import { BusSeal } from './bus-seal.ts';
import { takenAt } from './lease-owner.ts';
import { LeaseSeal } from './lease-seal.ts';
import type { ClusterLog, Coordination, HeldBy, Member, Renewal } from './port.ts';

export interface SealedOptions {
  /** Must be the same on every node of the cluster, and have at least 32 characters. */
  readonly secret: string;
  readonly clock: Clock;
  readonly log: ClusterLog;
}

type SealedMember = Member & { readonly sealed: string };

const SAY_AGAIN_MS = 60_000;

export function sealedCoordination(coordination: Coordination, { secret, clock, log }: SealedOptions): Coordination {
  const seal = new BusSeal(secret, clock);
  const leases = new LeaseSeal(secret);
  const dropped = dropsOf(clock, log);

  const sealedLease = ({ key, holder }: HeldBy): HeldBy => ({ key, holder: leases.seal(key, holder) });

  function holderIn(key: string, found: string): string {
    const holder = leases.open(key, found);
    if (holder === null) dropped('lease');
    return holder ?? '';
  }

  /** Returns the holder that replaced this node, or true if this node has the lease again. */
  async function reclaimed({ key, holder }: HeldBy, found: string, ttlMs: number): Promise<Renewal> {
    const other = leases.open(key, found);
    if (other !== null && !(takenAt(other) < takenAt(holder))) return other;
    dropped('lease');
    return (await coordination.replace(key, found, leases.seal(key, holder), ttlMs)) || '';
  }

  return {
    async beat(member, ttlMs, isForced) {
      const sealed = sealedMember(seal, member);
      const opened = (await coordination.beat(sealed, ttlMs, isForced)).map((found) => ({ id: found.id, member: memberIn(seal, found) }));
      for (const one of opened) if (one.member === null) dropped('node');
      const own = opened.find(({ id }) => id === member.id)?.member;
      // A forged entry may pose as a newer process with our id, so our own entry is forced.
      if (!isForced && (!own || (own.boot !== member.boot && own.started_at <= member.started_at)))
        await coordination.beat(sealed, ttlMs, true);
      return opened.flatMap((one) => one.member ?? []);
    },
    publish: (channel, text) => coordination.publish(channel, seal.seal(channel, text)),
    subscribe: (channel, receive) =>
      coordination.subscribe(channel, (sealed) => {
        const text = seal.openOnce(channel, sealed);
        if (text === null) dropped(channel);
        else receive(text);
      }),
    part: (self) => coordination.part(self),
    async acquire(key, holder, ttlMs) {
      const sealed = leases.seal(key, holder);
      const found = await coordination.acquire(key, sealed, ttlMs);
      return found === sealed ? holder : found && holderIn(key, found);
    },
    replace: (key, found, holder, ttlMs) => coordination.replace(key, leases.seal(key, found), leases.seal(key, holder), ttlMs),
    async renew(held, ttlMs) {
      const answers = await coordination.renew(held.map(sealedLease), ttlMs);
      return Promise.all(answers.map((answer, i) => (typeof answer === 'string' ? reclaimed(at(held, i), answer, ttlMs) : answer)));
    },
    release: (held) => coordination.release(held.map(sealedLease)),
    async holders(keys) {
      const found = await coordination.holders(keys);
      return found.map((sealed, i) => (sealed === null ? null : holderIn(at(keys, i), sealed)));
    },
    count: (calls) => coordination.count(calls),
    acquireSeat: (room, seat, most, ttlMs) => coordination.acquireSeat(room, seat, most, ttlMs),
    releaseSeat: (room, seat) => coordination.releaseSeat(room, seat),
    ping: () => coordination.ping(),
    close: () => coordination.close(),
  };
}

function sealedMember(seal: BusSeal, member: Member): SealedMember {
  const { id, boot, started_at } = member;
  const sealed = seal.seal(aboutOf(id), JSON.stringify(member));
  return { id, boot, started_at, heartbeat_at: 0, address: '', state: 'active', load: {}, sealed };
}

/** `found.id` comes from the key name. Null if the member was not written by a node. */
function memberIn(seal: BusSeal, found: object & Pick<Member, 'id'>): Member | null {
  const opened = seal.openLatest(aboutOf(found.id), 'sealed' in found ? found.sealed : null);
  if (opened === null) return null;
  const member: unknown = JSON.parse(opened);
  return isMember(member) && member.id === found.id ? member : null;
}

const aboutOf = (id: string): string => `node:${id}`;

const isMember = (value: unknown): value is Member =>
  isRecord(value) && typeof value['id'] === 'string' && typeof value['boot'] === 'string' && typeof value['started_at'] === 'number';

function dropsOf(clock: Clock, log: ClusterLog): (where: string) => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let dropped = 0;
  return (where) => {
    dropped += 1;
    if (clock.monotonic() < quietUntil) return;
    quietUntil = clock.monotonic() + SAY_AGAIN_MS;
    log.warn(
      { event: 'cluster.unsealed_dropped', dropped, where },
      'dropped what came through Redis: not sealed by a node with our secret for this place, written again later, or its clock differs by a minute',
    );
    dropped = 0;
  };
}
