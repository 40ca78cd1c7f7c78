import type { Clock } from '../clock.ts';
import { at } from '../invariant.ts';
import { isRecord } from '../shapes.ts';
import { BusSeal } from './bus-seal.ts';
import { takenAt } from './lease-owner.ts';
import { LeaseSeal } from './lease-seal.ts';
import type { ClusterLog, Coordination, HeldBy, Member, Renewal } from './port.ts';

export interface SealedOptions {
  /** The same on every node of the cluster, at least 32 characters. */
  readonly secret: string;
  readonly clock: Clock;
  readonly log: ClusterLog;
}

/** A member as Redis holds it: what its scripts compare is bare, the rest is sealed and is the only thing that is believed. */
type SealedMember = Member & { readonly sealed: string };

const SAY_AGAIN_MS = 60_000;

/**
 * A coordination service whose messages, members and leases only nodes with the same secret can write, and whose messages and members only
 * they can read.
 *
 * - A message opens on its channel, once, for a minute.
 * - A member opens under its own key, for a minute, and never again after a later one of the same start.
 * - The holder of a lease counts under its own key. A node that is sure of its lease puts it back over a value that no node wrote, or
 *   that was there before (an earlier taking, written again).
 *
 * Counts stay bare. Whoever can write to Redis can still delete what is there, which stops or slows the cluster as flushing Redis does, but
 * never reads or sends through it: epochs in the store decide who writes. What is not believed is logged, at most once a minute.
 */
export function sealedCoordination(coordination: Coordination, { secret, clock, log }: SealedOptions): Coordination {
  const seal = new BusSeal(secret, clock);
  const leases = new LeaseSeal(secret);
  const dropped = dropsOf(clock, log);

  const sealedLease = ({ key, holder }: HeldBy): HeldBy => ({ key, holder: leases.seal(key, holder) });

  /** '' for a holder that no node wrote. */
  function holderIn(key: string, found: string): string {
    const holder = leases.open(key, found);
    if (holder === null) dropped('lease');
    return holder ?? '';
  }

  /** Who holds a lease of ours instead of us; `true` where that was nobody, and we do again. */
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
      // Somebody made it look as if a younger start ran under our id: the others shall see us.
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

/** `found.id` is the name of its key. */
function memberIn(seal: BusSeal, found: object & Pick<Member, 'id'>): Member | null {
  const opened = seal.openLatest(aboutOf(found.id), 'sealed' in found ? found.sealed : null);
  if (opened === null) return null;
  const member: unknown = JSON.parse(opened);
  return isMember(member) && member.id === found.id ? member : null;
}

const aboutOf = (id: string): string => `node:${id}`;

/** Written by a node of ours, perhaps of a later version. */
const isMember = (value: unknown): value is Member =>
  isRecord(value) && typeof value['id'] === 'string' && typeof value['boot'] === 'string' && typeof value['started_at'] === 'number';

/** Logs that something was dropped, at most once a minute: a stranger who can write to Redis must not fill the log as well. */
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
