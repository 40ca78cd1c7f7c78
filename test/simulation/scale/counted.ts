/**
 * Counts the requests that the nodes of a simulated cluster send to Redis and to the store, by cause and virtual second.
 * Can also record calls to Redis with their arguments, to repeat them against a real server (replay.ts).
 */
import type { Clock } from '../../../runtime/clock.ts';
import type { Coordination } from '../../../runtime/cluster/port.ts';
import type { Call as StoreCall } from '../../support/simulated-mongo/simulated-mongo.ts';

/** A recorded call to Redis: its time (virtual ms), its node, and a function that repeats it. */
export interface Kept {
  readonly at: number;
  readonly node: string;
  readonly repeat: (redis: Coordination) => Promise<unknown>;
}

export interface Figures {
  readonly seconds: number;
  /** Commands by cause, in total and in the busiest second. */
  readonly redis: ReadonlyMap<string, Rate>;
  readonly writes: ReadonlyMap<string, Rate>;
  readonly reads: ReadonlyMap<string, Rate>;
}

export interface Rate {
  readonly count: number;
  readonly peak: number;
}

const SECOND_MS = 1_000;
const PING = 'ping';

class Tally {
  readonly #bySecond = new Map<string, Map<number, number>>();

  add(cause: string, at: number, count = 1): void {
    const seconds = this.#bySecond.get(cause) ?? new Map<number, number>();
    this.#bySecond.set(cause, seconds);
    const second = Math.floor(at / SECOND_MS);
    seconds.set(second, (seconds.get(second) ?? 0) + count);
  }

  rates(): ReadonlyMap<string, Rate> {
    const rated = [...this.#bySecond].map(([cause, seconds]): [string, Rate] => {
      const counts = [...seconds.values()];
      return [cause, { count: counts.reduce((sum, one) => sum + one, 0), peak: Math.max(...counts) }];
    });
    return new Map(rated.sort(([, a], [, b]) => b.count - a.count));
  }
}

export class Ledger {
  readonly #clock: Clock;
  #since: number;
  #redis = new Tally();
  #writes = new Tally();
  #reads = new Tally();
  #kept: Kept[] | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  /** Returns the figures since the last call, and resets the counters. */
  take(): Figures {
    const seconds = (this.#clock.monotonic() - this.#since) / SECOND_MS;
    const figures = { seconds, redis: this.#redis.rates(), writes: this.#writes.rates(), reads: this.#reads.rates() };
    this.#since = this.#clock.monotonic();
    [this.#redis, this.#writes, this.#reads] = [new Tally(), new Tally(), new Tally()];
    return figures;
  }

  keep(): void {
    this.#kept = [];
  }

  /** Returns the calls recorded since `keep`, and stops recording. */
  kept(): readonly Kept[] {
    const kept = this.#kept ?? [];
    this.#kept = null;
    return kept;
  }

  noteStore(call: StoreCall, documents: number): void {
    const at = this.#clock.monotonic();
    if (call.isWrite) this.#writes.add(causeOfWrite(call), at);
    else this.#reads.add(call.method === 'ping' ? PING : `${call.method} ${call.table}`, at);
    if (documents > 0) this.#reads.add(`documents of ${call.table}`, at, documents);
  }

  /** Wraps one node's connection to Redis. */
  over(node: string, redis: Coordination): Coordination {
    const note = <T>(cause: string, repeat: (redis: Coordination) => Promise<T>, keys = 0): Promise<T> => {
      const at = this.#clock.monotonic();
      this.#redis.add(cause, at);
      if (keys > 0) this.#redis.add(`${cause}: keys`, at, keys);
      this.#kept?.push({ at, node, repeat });
      return repeat(redis);
    };
    return {
      beat: (member, ttlMs, isForced) => note('heartbeat', (to) => to.beat(member, ttlMs, isForced)),
      part: (self) => note('leave', (to) => to.part(self)),
      acquire: (key, holder, ttlMs) => note(`acquire ${key.split('/')[0]}`, (to) => to.acquire(key, holder, ttlMs)),
      replace: (key, found, holder, ttlMs) => note('reclaim', (to) => to.replace(key, found, holder, ttlMs)),
      renew: (leases, ttlMs) => note('renew', (to) => to.renew(leases, ttlMs), leases.length),
      release: (leases) => note('release', (to) => to.release(leases), leases.length),
      holders: (keys) => note(keys.length > 1 ? 'look' : 'find a device', (to) => to.holders(keys), keys.length > 1 ? keys.length : 0),
      count: (calls) => note('limits', (to) => to.count(calls)),
      acquireSeat: (room, seat, most, ttlMs) => note('seat', (to) => to.acquireSeat(room, seat, most, ttlMs)),
      releaseSeat: (room, seat) => note('seat', (to) => to.releaseSeat(room, seat)),
      publish: async (channel, text) => {
        const cause = `publish ${channel.split(/[:/]/)[0] === 'to' ? 'to a node' : channel}`;
        const reached = await note(cause, (to) => to.publish(channel, text));
        this.#redis.add(`${cause}: deliveries`, this.#clock.monotonic(), reached);
        return reached;
      },
      subscribe: (channel, receive) => redis.subscribe(channel, receive),
      ping: () => note(PING, (to) => to.ping()),
      close: () => redis.close(),
    };
  }
}

function causeOfWrite({ table, method, args }: StoreCall): string {
  if (table !== 'devices') return `${table} ${method}`;
  return JSON.stringify(args[1] ?? null).includes('"epoch":1') ? 'own a device' : 'write a device';
}
