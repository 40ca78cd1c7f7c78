import { type ClusterOptions, createCluster } from '../cluster.ts';
import { ownerOf } from '../lease-owner.ts';
import type { Cluster, Coordination, Counted, HeldBy, Member, NodeName, SlidingWindow } from '../port.ts';
import { sealedCoordination } from '../sealed.ts';
import { Connection } from './connection.ts';

export interface RedisCoordinationOptions {
  /** `redis://` or `rediss://`, with user, password and database where needed. One Redis with or without replicas, not Redis Cluster. */
  readonly url: string;
  /** Prefix of every key and channel; default `gw:`. */
  readonly prefix?: string;
}

/** The cluster of all nodes with this Redis, prefix and secret (at least 32 characters), which seals the messages between nodes. */
export function redisCluster({
  url,
  prefix = PREFIX,
  secret,
  ...options
}: RedisCoordinationOptions & ClusterOptions & { secret: string }): Cluster {
  const { clock, log } = options;
  return createCluster(sealedCoordination(redisCoordination({ url, prefix }), { secret, clock, log }), options);
}

/** Connects in the background and again after every loss; meanwhile calls reject at once. Otherwise after 2 s without an answer. */
export function redisCoordination({ url, prefix = PREFIX }: RedisCoordinationOptions): Coordination {
  return new RedisCoordination(url, prefix);
}

const PREFIX = 'gw:';
/** Of each window in the answer of COUNT. */
const FIGURES = 3;

class RedisCoordination implements Coordination {
  readonly #prefix: string;
  readonly #voice: Connection;
  readonly #ear: Connection;
  readonly #listeners = new Map<string, (text: string) => void>();
  /** Which run of the Redis process the voice is connected to. */
  #runId: string | null = null;

  constructor(url: string, prefix: string) {
    this.#prefix = prefix;
    this.#voice = new Connection(url, () => void this.#learnRun().catch(() => {}));
    this.#voice.redis.on('close', () => {
      this.#runId = null;
    });
    this.#ear = new Connection(url, () => void this.#subscribeAll().catch(() => {}));
    this.#ear.redis.on('message', (channel, text) => this.#listeners.get(channel)?.(text));
  }

  async beat(member: Member, ttlMs: number): Promise<readonly Member[]> {
    const keys = [this.#node(member.id), ...this.#names('nodes', 'run', 'quiet')];
    const values = [member.id, JSON.stringify(member), String(member.started_at), String(ttlMs), await this.#run(), this.#node('')];
    // Something to answer, so that an ear that has gone deaf is noticed.
    this.#ear.run((redis) => redis.ping()).catch(() => {});
    const members = await this.#voice.run((redis) => redis.gwBeat(...keys, ...values));
    return members.flatMap(memberIn);
  }

  async part({ id, boot }: NodeName): Promise<void> {
    await this.#voice.run((redis) => redis.gwPart(this.#node(id), ...this.#names('nodes'), id, boot));
  }

  async acquire(key: string, holder: string, ttlMs: number): Promise<string | null> {
    const runId = this.#runId ?? (await this.#run());
    const keys = [this.#lease(key), ...this.#names('run', 'quiet')];
    return this.#voice.run((redis) => redis.gwAcquire(...keys, holder, ownerOf(holder), String(ttlMs), runId));
  }

  async renew(keys: readonly string[], owner: string, ttlMs: number): Promise<readonly boolean[]> {
    const names = keys.map((key) => this.#lease(key));
    const others = await this.#voice.run((redis) => redis.gwRenew(names.length, ...names, owner, String(ttlMs)));
    const answers = new Array<boolean>(keys.length).fill(true);
    for (const place of others) answers[place - 1] = false;
    return answers;
  }

  async release(leases: readonly HeldBy[]): Promise<void> {
    const names = leases.map(({ key }) => this.#lease(key));
    const holders = leases.map(({ holder }) => holder);
    await this.#voice.run((redis) => redis.gwRelease(names.length, ...names, ...holders));
  }

  holders(keys: readonly string[]): Promise<readonly (string | null)[]> {
    return this.#voice.run((redis) => redis.mget(keys.map((key) => this.#lease(key))));
  }

  async count(calls: readonly (readonly SlidingWindow[])[]): Promise<readonly (readonly Counted[])[]> {
    const windows = calls.flat();
    const asked = calls.flatMap((call) => [call.length, ...call.flatMap(({ max, windowMs }) => [max, windowMs])]);
    const names = windows.map(({ key }) => `${this.#prefix}window:${key}`);
    const answers = await this.#voice.run((redis) => redis.gwCount(names.length, ...names, ...asked));
    let next = 0;
    return calls.map((call) => call.map(() => countedIn(answers, FIGURES * next++)));
  }

  async acquireSeat(room: string, seat: string, most: number | null, ttlMs: number): Promise<boolean> {
    return (await this.#voice.run((redis) => redis.gwSit(`${this.#prefix}room:${room}`, seat, most ?? -1, ttlMs))) === 1;
  }

  async releaseSeat(room: string, seat: string): Promise<void> {
    await this.#voice.run((redis) => redis.zrem(`${this.#prefix}room:${room}`, seat));
  }

  publish(channel: string, text: string): Promise<number> {
    return this.#voice.run((redis) => redis.publish(this.#prefix + channel, text));
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
    const about = await this.#voice.run((redis) => redis.info('server'));
    const runId = /^run_id:(\w+)/m.exec(about)?.[1] ?? '';
    this.#runId = runId;
    return runId;
  }

  async #subscribeAll(): Promise<void> {
    if (this.#listeners.size > 0) await this.#ear.run((redis) => redis.subscribe(...this.#listeners.keys()));
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

/** Nothing, where something else than a node wrote it. */
function memberIn(text: string): Member | [] {
  try {
    const member: Member | null = JSON.parse(text);
    return typeof member?.id === 'string' ? member : [];
  } catch {
    return [];
  }
}

function countedIn(answers: readonly number[], from: number): Counted {
  return { ok: answers[from] === 1, remaining: answers[from + 1] ?? 0, resetMs: answers[from + 2] ?? 0 };
}
