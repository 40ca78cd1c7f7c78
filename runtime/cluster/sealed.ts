import type { Clock } from '../clock.ts';
import { memberOf } from '../shapes.ts';
import { BusSeal } from './bus-seal.ts';
import type { ClusterLog, Coordination, Member } from './port.ts';

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
 * A coordination service whose messages and members only nodes with the same secret can read or make. Leases and counts stay bare: anyone who can
 * write them can stop or slow the cluster, as by flushing Redis, but never reads or sends through it (epochs in the store decide who writes).
 */
export function sealedCoordination(coordination: Coordination, { secret, clock, log }: SealedOptions): Coordination {
  const seal = new BusSeal(secret, clock);
  const droppedSince = dropsOf(clock, log);

  return {
    async beat(member, ttlMs) {
      const found = await coordination.beat(sealedMember(seal, member), ttlMs);
      return found.flatMap((one) => {
        const opened = memberIn(seal, one);
        if (opened === null) droppedSince('node');
        return opened ?? [];
      });
    },
    publish: (channel, text) => coordination.publish(channel, seal.seal(channel, text)),
    subscribe: (channel, receive) =>
      coordination.subscribe(channel, (sealed) => {
        const text = seal.openOnce(channel, sealed);
        if (text === null) droppedSince(channel);
        else receive(text);
      }),
    part: (self) => coordination.part(self),
    acquire: (key, holder, ttlMs) => coordination.acquire(key, holder, ttlMs),
    renew: (keys, owner, ttlMs) => coordination.renew(keys, owner, ttlMs),
    release: (leases) => coordination.release(leases),
    holders: (keys) => coordination.holders(keys),
    count: (calls) => coordination.count(calls),
    acquireSeat: (room, seat, most, ttlMs) => coordination.acquireSeat(room, seat, most, ttlMs),
    releaseSeat: (room, seat) => coordination.releaseSeat(room, seat),
    ping: () => coordination.ping(),
    close: () => coordination.close(),
  };
}

function sealedMember(seal: BusSeal, member: Member): SealedMember {
  const { id, boot, started_at } = member;
  const sealed = seal.seal(`node:${id}`, JSON.stringify(member));
  return { id, boot, started_at, heartbeat_at: 0, address: '', state: 'active', load: {}, sealed };
}

function memberIn(seal: BusSeal, found: unknown): Member | null {
  const opened = seal.open(`node:${memberOf(found, 'id')}`, memberOf(found, 'sealed'));
  if (opened === null) return null;
  const member: Member = JSON.parse(opened.text);
  return member;
}

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
      'dropped what came through Redis: not sealed by a node with our secret, or its clock differs by a minute',
    );
    dropped = 0;
  };
}
