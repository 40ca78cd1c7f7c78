import type { Clock } from '../../clock.ts';
import { at } from '../../invariant.ts';
import { isRecord } from '../../shapes.ts';
import { type ClusterOptions, createCluster } from '../cluster.ts';
import type { Cluster, ClusterLog, Coordination, Counted, HeldBy, Member, NodeName, Renewal, SlidingWindow } from '../port.ts';
import { sealedCoordination } from '../sealed.ts';
import { Connection } from './connection.ts';

export interface RedisCoordinationOptions {
  /** `redis://` or `rediss://`. Must be a single Redis, with or without replicas, and not a cluster. */
  readonly url: string;
  readonly prefix?: string;
  readonly faulted?: (why: string) => void;
}

export function redisCluster({
  url,
  prefix = PREFIX,
  secret,
  ...options
}: Omit<RedisCoordinationOptions, 'faulted'> & ClusterOptions & { secret: string }): Cluster {
  const { clock, log } = options;
  const faulted = faultsOf(clock, log);
  return createCluster(sealedCoordination(redisCoordination({ url, prefix, faulted }), { secret, clock, log }), options);
}

/** Calls reject immediately while disconnected, and otherwise after 2 s without a reply. */
export function redisCoordination({ url, prefix = PREFIX, faulted = () => {} }: RedisCoordinationOptions): Coordination {
  return new RedisCoordination(url, prefix, faulted);
}

const PREFIX = 'gw:';
const FIGURES = 3;
const SAY_AGAIN_MS = 60_000;

class RedisCoordination implements Coordination {
  readonly #prefix: string;
  readonly #voice: Connection;
  readonly #ear: Connection;
  readonly #listeners = new Map<string, (text: string) => void>();
  #runId: string | null = null;

  constructor(url: string, prefix: string, faulted: (why: string) => void) {
    this.#prefix = prefix;
    this.#voice = new Connection(url, () => void this.#learnRun().catch(() => {}), faulted);
    this.#voice.redis.on('close', () => {
      this.#runId = null;
    });
    this.#ear = new Connection(url, () => this.#subscribeAll(), faulted);
    this.#ear.redis.on('message', (channel, text) => this.#listeners.get(channel)?.(text));
  }

  async beat(member: Member, ttlMs: number, isForced = false): Promise<readonly Member[]> {
    const keys = [this.#node(member.id), ...this.#names('nodes', 'run', 'quiet')];
    const values = [member.id, JSON.stringify(member), String(member.started_at), String(ttlMs), await this.#run(), this.#node('')];
    // Pings the subscriber connection, so that a dead connection is noticed.
    this.#ear.run((redis) => redis.ping()).catch(() => {});
    const found = textsIn(await this.#voice.run((redis) => redis.gwBeat(...keys, ...values, isForced ? '1' : '0')));
    return found.flatMap((id, i) => (i % 2 === 0 ? memberIn(id, at(found, i + 1)) : []));
  }

  async part({ id, boot }: NodeName): Promise<void> {
    await this.#voice.run((redis) => redis.gwPart(this.#node(id), ...this.#names('nodes'), id, boot));
  }

  async acquire(key: string, holder: string, ttlMs: number): Promise<string | null> {
    const runId = this.#runId ?? (await this.#run());
    const keys = [this.#lease(key), ...this.#names('run', 'quiet')];
    return textOrNull(await this.#voice.run((redis) => redis.gwAcquire(...keys, holder, String(ttlMs), runId)));
  }

  async replace(key: string, found: string, holder: string, ttlMs: number): Promise<boolean> {
    return (await this.#voice.run((redis) => redis.gwReplace(this.#lease(key), found, holder, String(ttlMs)))) === 1;
  }

  async renew(leases: readonly HeldBy[], ttlMs: number): Promise<readonly Renewal[]> {
    const names = leases.map(({ key }) => this.#lease(key));
    const holders = leases.map(({ holder }) => holder);
    const others = listIn(await this.#voice.run((redis) => redis.gwRenew(names.length, ...names, ...holders, String(ttlMs))));
    const answers = new Array<Renewal>(leases.length).fill(true);
    for (let i = 0; i + 1 < others.length; i += 2) answers[placeIn(others[i], leases.length)] = textOrNull(others[i + 1]);
    return answers;
  }

  async release(leases: readonly HeldBy[]): Promise<void> {
    const names = leases.map(({ key }) => this.#lease(key));
    const holders = leases.map(({ holder }) => holder);
    await this.#voice.run((redis) => redis.gwRelease(names.length, ...names, ...holders));
  }

  async holders(keys: readonly string[]): Promise<readonly (string | null)[]> {
    if (keys.length === 0) return [];
    const names = keys.map((key) => this.#lease(key));
    const found = listIn(await this.#voice.run((redis) => redis.gwHolders(names.length, ...names)));
    if (found.length !== keys.length) throw nonsense();
    return found.map(textOrNull);
  }

  async count(calls: readonly (readonly SlidingWindow[])[]): Promise<readonly (readonly Counted[])[]> {
    const windows = calls.flat();
    const asked = calls.flatMap((call) => [call.length, ...call.flatMap(({ max, windowMs }) => [max, windowMs])]);
    const names = windows.map(({ key }) => `${this.#prefix}window:${key}`);
    const answers = listIn(await this.#voice.run((redis) => redis.gwCount(names.length, ...names, ...asked)));
    if (answers.length !== FIGURES * windows.length) throw nonsense();
    let next = 0;
    return calls.map((call) => call.map((window) => countedIn(answers, FIGURES * next++, window)));
  }

  async acquireSeat(room: string, seat: string, most: number | null, ttlMs: number): Promise<boolean> {
    return (await this.#voice.run((redis) => redis.gwSit(`${this.#prefix}room:${room}`, seat, most ?? -1, ttlMs))) === 1;
  }

  async releaseSeat(room: string, seat: string): Promise<void> {
    await this.#voice.run((redis) => redis.zrem(`${this.#prefix}room:${room}`, seat));
  }

  async publish(channel: string, text: string): Promise<number> {
    return numberIn(await this.#voice.run((redis) => redis.publish(this.#prefix + channel, text)));
  }

  async subscribe(channel: string, receive: (text: string) => void): Promise<void> {
    const name = this.#prefix + channel;
    this.#listeners.set(name, receive);
    await this.#ear.run((redis) => redis.subscribe(name));
  }

  async ping(): Promise<void> {
    await this.#voice.run((redis) => redis.ping());
  }

  async close(): Promise<void> {
    this.#voice.close();
    this.#ear.close();
  }

  async #run(): Promise<string> {
    return this.#runId ?? this.#learnRun();
  }

  async #learnRun(): Promise<string> {
    const about: unknown = await this.#voice.run((redis) => redis.info('server'));
    const runId = typeof about === 'string' ? (/^run_id:(\w{1,64})\s*$/m.exec(about)?.[1] ?? '') : '';
    this.#runId = runId;
    return runId;
  }

  /** Subscribes to one channel at a time, so that each has its own reply (see `ReplyGuard`). */
  #subscribeAll(): void {
    for (const name of this.#listeners.keys()) this.#ear.run((redis) => redis.subscribe(name)).catch(() => {});
  }

  #lease(key: string): string {
    return `${this.#prefix}lease:${key}`;
  }

  #node(id: string): string {
    return `${this.#prefix}node:${id}`;
  }

  #names(...names: readonly string[]): string[] {
    return names.map((name) => this.#prefix + name);
  }
}

const nonsense = (): Error => new Error('Redis: answered something else than what it was asked');

function listIn(answer: unknown): readonly unknown[] {
  if (!Array.isArray(answer)) throw nonsense();
  return answer;
}

function textsIn(answer: unknown): readonly string[] {
  const texts = listIn(answer).map(textOrNull);
  if (texts.length % 2 === 1 || texts.includes(null)) throw nonsense();
  return texts.map(String);
}

function textOrNull(answer: unknown): string | null {
  if (answer !== null && typeof answer !== 'string') throw nonsense();
  return answer;
}

function numberIn(answer: unknown): number {
  if (typeof answer !== 'number' || !Number.isSafeInteger(answer)) throw nonsense();
  return answer;
}

function placeIn(answer: unknown, length: number): number {
  const place = numberIn(answer);
  if (place < 1 || place > length) throw nonsense();
  return place - 1;
}

/** The id comes from the key. If the text cannot be parsed, the other fields are empty. */
function memberIn(id: string, text: string): Member {
  const nothing = { id, boot: '', started_at: 0, heartbeat_at: 0, address: '', state: 'active', load: {} } as const;
  try {
    const member: unknown = JSON.parse(text);
    return isRecord(member) && !Array.isArray(member) ? { ...nothing, ...member, id } : nothing;
  } catch {
    return nothing;
  }
}

function countedIn(answers: readonly unknown[], from: number, { max, windowMs }: SlidingWindow): Counted {
  const [ok, remaining, resetMs] = [numberIn(answers[from]), numberIn(answers[from + 1]), numberIn(answers[from + 2])];
  return {
    ok: ok === 1,
    remaining: Math.min(Math.max(0, remaining), Math.max(0, max)),
    resetMs: Math.min(Math.max(0, resetMs), 2 * windowMs),
  };
}

function faultsOf(clock: Clock, log: ClusterLog): (why: string) => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let faults = 0;
  return (why) => {
    faults += 1;
    if (clock.monotonic() < quietUntil) return;
    quietUntil = clock.monotonic() + SAY_AGAIN_MS;
    log.warn({ event: 'redis.nonsense', why, faults }, 'Redis answered something that it may not answer: connecting anew');
    faults = 0;
  };
}
