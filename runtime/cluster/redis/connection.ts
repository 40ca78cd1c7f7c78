import { Redis, type RedisOptions, type Result } from 'ioredis';
import { asError } from '../../errors.ts';
import { ACQUIRE_SEAT, COUNT } from './counter-scripts.ts';
import { ACQUIRE, BEAT, PART, RELEASE, RENEW } from './lease-scripts.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    gwAcquire(...args: string[]): Result<string | null, Context>;
    gwRenew(count: number, ...args: string[]): Result<number[], Context>;
    gwRelease(count: number, ...args: string[]): Result<null, Context>;
    gwBeat(...args: string[]): Result<string[], Context>;
    gwPart(...args: string[]): Result<null, Context>;
    gwCount(keys: number, ...args: (string | number)[]): Result<number[], Context>;
    gwSit(room: string, seat: string, most: number, ttlMs: number): Result<number, Context>;
  }
}

/** The longest wait for an unanswered command, and for a connection on which nothing arrives any more. */
const COMMAND_TIMEOUT_MS = 2_000;
const DEAD_AFTER_MS = 3_000;
const LONGEST_RETRY_MS = 1_000;

/** Nothing waits for a connection and nothing is sent twice: what cannot be sent now fails now. */
const OPTIONS = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  commandTimeout: COMMAND_TIMEOUT_MS,
  socketTimeout: DEAD_AFTER_MS,
  connectTimeout: COMMAND_TIMEOUT_MS,
  retryStrategy: (times: number) => Math.min(50 * times, LONGEST_RETRY_MS),
  scripts: {
    gwAcquire: { lua: ACQUIRE, numberOfKeys: 3 },
    gwRenew: { lua: RENEW },
    gwRelease: { lua: RELEASE },
    gwBeat: { lua: BEAT, numberOfKeys: 4 },
    gwPart: { lua: PART, numberOfKeys: 2 },
    gwCount: { lua: COUNT },
    gwSit: { lua: ACQUIRE_SEAT, numberOfKeys: 1 },
  },
} satisfies RedisOptions;

/** One connection that comes back by itself. */
export class Connection {
  readonly redis: Redis;
  #trouble: Error | null = null;
  #isCorked = false;

  /** `ready` is called at each connection. */
  constructor(url: string, ready: (redis: Redis) => void) {
    this.redis = new Redis(url, OPTIONS);
    this.redis.on('error', (cause: Error) => {
      this.#trouble = cause;
    });
    this.redis.on('ready', () => {
      this.#trouble = null;
      ready(this.redis);
    });
  }

  /** Rejects with why there is no connection, where that is why it fails. */
  async run<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    try {
      if (!this.#isCorked) this.#cork();
      return await command(this.redis);
    } catch (cause) {
      throw new Error(`Redis: ${(this.#trouble ?? asError(cause)).message || 'cannot be reached'}`, { cause });
    }
  }

  /** The client writes each command separately; the commands of one turn should cost one system call. */
  #cork(): void {
    const { stream } = this.redis;
    if (!stream) return;
    this.#isCorked = true;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }

  close(): void {
    this.redis.disconnect();
  }
}
