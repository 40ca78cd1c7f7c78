import { Redis, type RedisOptions } from 'ioredis';
import { asError } from '../../errors.ts';
import { ACQUIRE_SEAT, COUNT } from './counter-scripts.ts';
import { guardedConnector } from './guarded-socket.ts';
import { ACQUIRE, BEAT, HOLDERS, PART, RELEASE, RENEW, REPLACE } from './lease-scripts.ts';
import { ProtocolFault } from './reply-guard.ts';

type Asked = Promise<unknown>;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    gwAcquire(...args: string[]): Asked;
    gwReplace(...args: string[]): Asked;
    gwRenew(count: number, ...args: string[]): Asked;
    gwRelease(count: number, ...args: string[]): Asked;
    gwHolders(count: number, ...args: string[]): Asked;
    gwBeat(...args: string[]): Asked;
    gwPart(...args: string[]): Asked;
    gwCount(keys: number, ...args: (string | number)[]): Asked;
    gwSit(room: string, seat: string, most: number, ttlMs: number): Asked;
  }
}

/** Maximum wait in ms for the reply to a command. */
const COMMAND_TIMEOUT_MS = 2_000;
const DEAD_AFTER_MS = 3_000;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 1_000;

/** Commands never wait for a connection and are never resent. RESP2 is simpler and has fewer types. */
const OPTIONS = {
  protocol: 2,
  enableReadyCheck: false,
  disableClientInfo: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  maxRetriesPerRequest: 0,
  commandTimeout: COMMAND_TIMEOUT_MS,
  socketTimeout: DEAD_AFTER_MS,
  scripts: {
    gwAcquire: { lua: ACQUIRE, numberOfKeys: 3 },
    gwReplace: { lua: REPLACE, numberOfKeys: 1 },
    gwRenew: { lua: RENEW },
    gwRelease: { lua: RELEASE },
    gwHolders: { lua: HOLDERS },
    gwBeat: { lua: BEAT, numberOfKeys: 4 },
    gwPart: { lua: PART, numberOfKeys: 2 },
    gwCount: { lua: COUNT },
    gwSit: { lua: ACQUIRE_SEAT, numberOfKeys: 1 },
  },
} satisfies RedisOptions;

export class Connection {
  readonly redis: Redis;
  #trouble: Error | null = null;
  #isCorked = false;
  #faults = 0;

  constructor(url: string, ready: (redis: Redis) => void, faulted: (why: string) => void) {
    this.redis = new Redis(url, {
      ...OPTIONS,
      Connector: guardedConnector(() => faulted('a published text is too long: it was left out')),
      retryStrategy: (times) => Math.min(FIRST_RETRY_MS * Math.max(times, 2 ** this.#faults), LONGEST_RETRY_MS),
    });
    this.redis.on('error', (cause: Error) => {
      this.#trouble = cause;
      if (!(cause instanceof ProtocolFault)) return;
      this.#faults += 1;
      faulted(cause.message);
    });
    this.redis.on('ready', () => {
      this.#trouble = null;
      ready(this.redis);
    });
  }

  async run<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    try {
      if (!this.#isCorked) this.#cork();
      const answer = await command(this.redis);
      this.#faults = 0;
      return answer;
    } catch (cause) {
      throw new Error(`Redis: ${(this.#trouble ?? asError(cause)).message || 'cannot be reached'}`, { cause });
    }
  }

  /**
   * Sends all commands of a tick in one system call, because the client would write each command
   * separately.
   */
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
