import { LimitsInMemory } from '../../http/limits/limits.ts';
import type { Cancel, Clock } from '../../runtime/clock.ts';
import type { Coordination, Member, Renewal } from '../../runtime/cluster/port.ts';

/**
 * Transit times in milliseconds; Infinity loses the message. A lost request never takes effect; a request whose reply
 * is lost has taken effect.
 */
export interface Weather {
  readonly requestMs: number;
  readonly replyMs: number;
}

/**
 * A node's call in transit to Redis, or (`message`) a published text in transit to a subscriber, for which only
 * `requestMs` counts.
 */
export interface Call {
  readonly node: string;
  readonly what: keyof Coordination | 'message';
}

const CALL_TIMEOUT_MS = 2_000;
const FAIR: Weather = { requestMs: 0, replyMs: 0 };

/**
 * Redis and its network, simulated on one clock. The simulation is deterministic, and all faults occur only on
 * demand. It starts as a Redis that has been in use; `flush` makes it one that has lost its data.
 *
 *   const world = new SimulatedRedis(clock);
 *   const a = world.place('a');
 *   const cluster = clusterOver(a.coordination, { nodeId: 'a', clock: a.clock, … });
 */
export class SimulatedRedis {
  /** Called for every call and message. Replace it to delay or lose some. */
  weather: (call: Call) => Weather = () => FAIR;
  /** Length of the longest published text so far. */
  longest = 0;
  readonly #clock: Clock;
  readonly #leases = new Map<string, Expiring<string>>();
  #windows = new LimitsInMemory();
  readonly #rooms = new Map<string, Map<string, Expiring<true>>>();
  readonly #members = new Map<string, Expiring<Member>>();
  readonly #ears: { readonly place: Place; readonly channel: string; readonly receive: (text: string) => void }[] = [];
  readonly #cut = new Set<string>();
  #isDown = false;
  #hasMemory = true;
  #quietUntil = 0;
  #leapt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns the environment of one process: its own connection and clock. A restarted process has a new place, with
   * the same id or another.
   */
  place(id: string): Place {
    return new Place(id, this.#clock, (place) => this.#connect(place));
  }

  /** Blocks all traffic between this node and Redis in both directions; calls time out. */
  partition(id: string): void {
    this.#cut.add(id);
  }

  heal(id: string): void {
    this.#cut.delete(id);
  }

  /** Refuses connections, so calls fail immediately. Stored data stays and continues to expire. */
  down(): void {
    this.#isDown = true;
  }

  up(): void {
    this.#isDown = false;
  }

  /** Deletes all data. With `down` and `up`: a restart without persistence. */
  flush(): void {
    this.#leases.clear();
    this.#members.clear();
    this.#rooms.clear();
    this.#windows = new LimitsInMemory();
    this.#hasMemory = false;
  }

  /** A replica takes over with all data. It is another process, so for a lease's lifetime it grants no free lease. */
  failOver(): void {
    this.#hasMemory = false;
  }

  /** Moves Redis's own clock, which controls the expiry of keys, by `ms`. */
  leap(ms: number): void {
    this.#leapt += ms;
  }

  /** Returns the raw current holder of a lease in Redis. */
  holder(key: string): string | null {
    return this.#live(this.#leases, key);
  }

  #connect(place: Place): Coordination {
    const call = <T>(what: keyof Coordination, run: () => T): Promise<T> => this.#call(place, what, run);
    return {
      beat: (member, ttlMs, isForced) => call('beat', () => this.#beat(member, ttlMs, isForced)),
      part: ({ id, boot }) => call('part', () => void (this.#live(this.#members, id)?.boot === boot && this.#members.delete(id))),
      acquire: (key, holder, ttlMs) => call('acquire', () => this.#acquire(key, holder, ttlMs)),
      replace: (key, found, holder, ttlMs) => call('replace', () => this.#replace(key, found, holder, ttlMs)),
      renew: (leases, ttlMs) => call('renew', () => leases.map(({ key, holder }) => this.#renew(key, holder, ttlMs))),
      release: (leases) =>
        call('release', () => leases.forEach(({ key, holder }) => void (this.holder(key) === holder && this.#leases.delete(key)))),
      holders: (keys) => call('holders', () => keys.map((key) => this.holder(key))),
      count: (calls) => call('count', () => calls.map((windows) => this.#windows.takeAll(windows, this.#time()))),
      acquireSeat: (room, seat, most, ttlMs) => call('acquireSeat', () => this.#acquireSeat(room, seat, most, ttlMs)),
      releaseSeat: (room, seat) => call('releaseSeat', () => void this.#rooms.get(room)?.delete(seat)),
      publish: (channel, text) => call('publish', () => this.#publish(channel, text)),
      subscribe: (channel, receive) => {
        this.#listen(place, channel, receive);
        return call('subscribe', () => {});
      },
      ping: () => call('ping', () => {}),
      close: async () => {},
    };
  }

  #acquireSeat(room: string, seat: string, most: number | null, ttlMs: number): boolean {
    const connectionLimit = this.#rooms.get(room) ?? new Map<string, Expiring<true>>();
    this.#rooms.set(room, connectionLimit);
    const taken = [...connectionLimit.keys()].filter((one) => this.#live(connectionLimit, one) !== null);
    if (most !== null && !taken.includes(seat) && taken.length >= most) return false;
    connectionLimit.set(seat, this.#expiring(true, ttlMs));
    return true;
  }

  #beat(member: Member, ttlMs: number, isForced = false): readonly Member[] {
    this.#remember(ttlMs);
    const known = this.#live(this.#members, member.id);
    if (isForced || known === null || known.started_at <= member.started_at) this.#members.set(member.id, this.#expiring(member, ttlMs));
    return [...this.#members.keys()].flatMap((id) => this.#live(this.#members, id) ?? []);
  }

  #acquire(key: string, holder: string, ttlMs: number): string | null {
    this.#remember(ttlMs);
    const held = this.holder(key);
    if (held === null && this.#time() < this.#quietUntil) return null;
    if (held !== null) return held;
    this.#leases.set(key, this.#expiring(holder, ttlMs));
    return holder;
  }

  #replace(key: string, found: string, holder: string, ttlMs: number): boolean {
    if (this.holder(key) !== found) return false;
    this.#leases.set(key, this.#expiring(holder, ttlMs));
    return true;
  }

  #renew(key: string, holder: string, ttlMs: number): Renewal {
    const held = this.holder(key);
    if (held !== holder) return held;
    this.#leases.set(key, this.#expiring(held, ttlMs));
    return true;
  }

  #remember(ttlMs: number): void {
    if (!this.#hasMemory) this.#quietUntil = this.#time() + ttlMs;
    this.#hasMemory = true;
  }

  #listen(place: Place, channel: string, receive: (text: string) => void): void {
    const known = this.#ears.findIndex((ear) => ear.place === place && ear.channel === channel);
    this.#ears.splice(known === -1 ? this.#ears.length : known, 1, { place, channel, receive });
  }

  #publish(channel: string, text: string): number {
    this.longest = Math.max(this.longest, text.length);
    const ears = this.#ears.filter((ear) => ear.channel === channel && !ear.place.isKilled);
    for (const { place, receive } of ears) {
      this.#travel(place, this.weather({ node: place.id, what: 'message' }).requestMs, () => place.deliver(() => receive(text)));
    }
    return ears.length;
  }

  #call<T>(place: Place, what: keyof Coordination, run: () => T): Promise<T> {
    if (this.#isDown) return Promise.reject(new Error('connection refused'));
    const { requestMs, replyMs } = this.weather({ node: place.id, what });
    return new Promise((resolve, reject) => {
      const stopWaiting = place.clock.after(CALL_TIMEOUT_MS, () => reject(new Error(`${what} was not answered in time`)));
      const answered = (answer: T) => () => {
        stopWaiting();
        resolve(answer);
      };
      this.#travel(place, requestMs, () => {
        const answer = run();
        this.#travel(place, replyMs, () => place.deliver(answered(answer)));
      });
    });
  }

  #travel(place: Place, ms: number, arrive: () => void): void {
    const land = (): void => void (this.#cut.has(place.id) || this.#isDown || arrive());
    if (ms === 0) land();
    else if (ms !== Number.POSITIVE_INFINITY) this.#clock.after(ms, land);
  }

  #time(): number {
    return this.#clock.monotonic() + this.#leapt;
  }

  #expiring<T>(value: T, ttlMs: number): Expiring<T> {
    return { value, until: this.#time() + ttlMs };
  }

  #live<T>(map: Map<string, Expiring<T>>, key: string): T | null {
    const found = map.get(key);
    return found !== undefined && this.#time() < found.until ? found.value : null;
  }
}

interface Expiring<T> {
  readonly value: T;
  readonly until: number;
}

/** One process. Its timers run and its messages arrive only while it is not paused. */
export class Place {
  readonly id: string;
  readonly clock: Clock;
  readonly coordination: Coordination;
  readonly #held: (() => void)[] = [];
  #life: 'running' | 'paused' | 'killed' = 'running';

  constructor(id: string, clock: Clock, connect: (place: Place) => Coordination) {
    this.id = id;
    this.clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, run) => this.#after(clock, ms, run),
    };
    this.coordination = connect(this);
  }

  get isKilled(): boolean {
    return this.#life === 'killed';
  }

  /** Pauses the process, like SIGSTOP. Time continues, and its pending calls still reach Redis. */
  pause(): void {
    this.#life = 'paused';
  }

  /** Resumes the process, like SIGCONT. Timers and messages that became due are handled now, in order. */
  resume(): void {
    this.#life = 'running';
    for (const run of this.#held.splice(0)) run();
  }

  /** Kills the process, like SIGKILL. */
  kill(): void {
    this.#life = 'killed';
    this.#held.length = 0;
  }

  /** Runs a callback now, or once the process resumes. */
  deliver(run: () => void): void {
    if (this.#life === 'running') run();
    else if (this.#life === 'paused') this.#held.push(run);
  }

  #after(clock: Clock, ms: number, run: () => void): Cancel {
    let isCancelled = false;
    const cancel = clock.after(ms, () => this.deliver(() => void (isCancelled || run())));
    return () => {
      isCancelled = true;
      cancel();
    };
  }
}
