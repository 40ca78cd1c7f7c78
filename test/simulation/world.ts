import { createRequire } from 'node:module';
import { pino } from 'pino';
import { plansFrom } from '../../actors/domain/plans.ts';
import { createSandbox, type Sandbox } from '../../actors/network/sandbox/sandbox.ts';
import type { ChildProcesses } from '../../runtime/child-processes/child-processes.ts';
import type { Cancel } from '../../runtime/clock.ts';
import { createCluster } from '../../runtime/cluster/cluster.ts';
import { restartIds } from '../../runtime/ids.ts';
import { type Random, seededRandom } from '../../runtime/random.ts';
import { VirtualClock } from '../../runtime/testing/virtual-clock.ts';
import { type Config, readConfig } from '../../scripts/wiring/config.ts';
import { type Node, startNode } from '../../scripts/wiring/node.ts';
import { SimulatedRedis } from '../support/coordination.ts';
import type { Answer as Answered } from '../support/gateway.ts';
import { SimulatedMongo } from '../support/simulated-mongo/simulated-mongo.ts';
import { History } from './history.ts';
import { enterWorld, quiet } from './isolate.ts';
import { coordinationOf, filesOf, networkOf, passageOf, receiversOf } from './lines.ts';
import { reachOf } from './platform.ts';
import { Process } from './process.ts';

/** A response as a caller receives it. */
export type Json = Answered['body'];

export interface Answer {
  readonly status: number;
  readonly body: Json;
  /** The process that responded. */
  readonly by: string;
}

/** The behavior of a connection. */
export interface Weather {
  readonly minMs: number;
  readonly maxMs: number;
  readonly slow: number;
  readonly slowMs: number;
  readonly lostRequest: number;
  readonly lostReply: number;
}
export const FAIR: Weather = { minMs: 1, maxMs: 6, slow: 0.01, slowMs: 80, lostRequest: 0, lostReply: 0 };

/** A caller's request, with its own random stream for the connection. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** A body that is sent as it is. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly random?: Random;
}

/** The caller does not know the outcome of its request. */
export class NoAnswer extends Error {}

export interface RunningNode {
  readonly process: Process;
  node: Node | null;
  /** Requests in progress, which are reset when the process dies. */
  readonly calls: Set<() => void>;
}

/** A webhook that a receiver got, and its response. */
export interface Received {
  readonly url: string;
  readonly body: Json;
  readonly answered: HookAnswer;
}
export type HookAnswer = 'ok' | 'fails' | 'refuses' | 'silent' | 'lost';

const LEASE_MS = 9_000;
export const ADMIN = 'the operator of the simulated cluster, 40';
const HTTP_1_1 = { httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 };
const NEVER_MS = 20 * 60_000;

/** Rounds delays up to whole milliseconds, the resolution of Node's timers. */
class WorldClock extends VirtualClock {
  override after(ms: number, run: () => void): Cancel {
    return super.after(Math.ceil(ms), run);
  }
}

const shot: {
  inject(
    dispatch: (req: object, res: object) => void,
    options: object,
  ): Promise<{ statusCode: number; payload: string; headers: Record<string, string> }>;
} = createRequire(createRequire(import.meta.url).resolve('@hapi/hapi'))('@hapi/shot');

const silent = { info() {}, warn() {}, error() {} };

/** Untrusted files are processed in child processes, which a simulated world does not have. */
const noChildren: ChildProcesses = {
  jobs: () => ({ run: () => Promise.reject(new Error('no child processes here')), close: async () => {} }) as never,
  run: () => Promise.reject(new Error('no child processes here')),
  stage: () => Promise.reject(new Error('no child processes here')),
  expectTime: () => {},
  isolation: async () => ({ network: 'none', files: 'hidden', memory: 'watched' }) as never,
  close: async () => {},
};

/**
 * Complete nodes of the product in one process, on virtual time. They use simulated MongoDB and Redis servers, the
 * sandbox's phones, and simulated callers and webhook receivers. `seed` determines all decisions of the world.
 */
export class World {
  readonly seed: number;
  readonly time = new WorldClock(Date.UTC(2026, 0, 5, 3), quiet);
  readonly random: Random;
  readonly history: History;
  readonly mongo = new SimulatedMongo();
  readonly redis: SimulatedRedis;
  readonly sandbox: Sandbox;
  readonly nodes = new Map<string, RunningNode>();
  readonly hooks: Received[] = [];
  readonly files = new Map<string, Buffer>();
  readonly directory: string;
  weather: Readonly<Record<'store' | 'redis' | 'http', Weather>> = { store: FAIR, redis: FAIR, http: FAIR };
  /** Cut connections: `n0 store`, `n1 redis`. */
  readonly cut = new Set<string>();
  isStoreDown = false;
  receives: () => HookAnswer = () => 'ok';
  /** A receiver that fails while the faults last; null for none. */
  brokenHook: string | null = null;
  /** Wall-clock time at which the faults ended; infinite until then. */
  peaceAt = Number.POSITIVE_INFINITY;
  /**
   * Processes that will freeze at their next write to a collection. The write arrives after another process has taken
   * over its subject.
   */
  readonly stumbles = new Map<string, { readonly table: string; readonly method?: string; readonly ms: number }>();
  /** The process whose call is currently applied, and the arguments of the call. */
  writer: { readonly process: string; readonly args: readonly unknown[] } = { process: '', args: [] };
  storeCalls = 0;
  boots = 0;
  /** Monthly message limit in every tenant's plan. */
  quota = 10_000;

  constructor(seed: number, directory: string) {
    this.seed = seed;
    this.directory = directory;
    this.random = seededRandom(seed);
    this.history = new History(this.time);
    enterWorld(this.time, seededRandom(seed ^ 0x5eed));
    restartIds();
    this.redis = new SimulatedRedis(this.time);
    this.sandbox = createSandbox({ clock: this.time, random: seededRandom(seed ^ 0xa11), reach: reachOf(() => this, seed) });
    this.redis.weather = ({ node }) => {
      if (this.cut.has(`${node} redis`)) return { requestMs: Number.POSITIVE_INFINITY, replyMs: Number.POSITIVE_INFINITY };
      const { lostRequest, lostReply } = this.weather.redis;
      const arriving = (lost: number): number => (this.random() < lost ? Number.POSITIVE_INFINITY : this.travel('redis'));
      return { requestMs: arriving(lostRequest), replyMs: arriving(lostReply) };
    };
  }

  /** Returns a transit time in ms. */
  travel(line: keyof World['weather'], random = this.random): number {
    const { minMs, maxMs, slow, slowMs } = this.weather[line];
    const ms = minMs + random() * (maxMs - minMs);
    return Math.ceil(random() < slow ? ms + random() * slowMs : ms);
  }

  running(): RunningNode[] {
    return [...this.nodes.values()].filter(({ process, node }) => !process.isKilled && node !== null);
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)]!;
  }

  /** Starts a node, or restarts it under the same name. */
  async boot(id: string): Promise<RunningNode> {
    this.boots += 1;
    const process = new Process(id, `b${this.boots}`, this.time, seededRandom(this.seed * 7_919 + this.boots));
    const running: RunningNode = { process, node: null, calls: new Set() };
    this.nodes.set(id, running);
    this.history.note(`${process.name} starts`);
    process.onDeath(() => {
      this.history.note(`${process.name} is dead`);
      for (const reset of [...running.calls]) reset();
    });
    const { clock } = process;
    const write = (line: string): void => {
      if (!process.isKilled) this.#logged(process, line);
    };
    try {
      running.node = await startNode(this.#config(id), {
        clock,
        random: seededRandom(this.seed * 1_000 + this.boots),
        log: pino({ level: 'warn', base: null, timestamp: false }, { write }),
        store: this.mongo.store(passageOf(this, process), clock),
        network: networkOf(this, process),
        cluster: createCluster(coordinationOf(this, process), { nodeId: id, boot: process.boot, ttlMs: LEASE_MS, clock, log: silent }),
        bytes: filesOf(this, process),
        egress: receiversOf(this, process),
        children: noChildren,
        checkAnswers: true,
      });
      this.history.note(`${process.name} is up`);
    } catch (cause) {
      this.history.note(`${process.name} did not start: ${String(cause).slice(0, 200)}`);
      process.kill();
    }
    return running;
  }

  #config(id: string): Config {
    return {
      ...readConfig({}, '/nowhere'),
      port: 0,
      data_dir: this.directory,
      node_id: id,
      admin_secret: ADMIN,
      jwt_secret: 'what all nodes of the cluster sign with',
      secrets_key: 'ab'.repeat(32),
      audit_key: 'cd'.repeat(32),
      lease_ttl_ms: LEASE_MS,
      plans: plansFrom({ free: { devices: 10, messages: this.quota, send_per_minute: 1_000_000, key_cap: 1_000_000 } }),
    };
  }

  #logged(process: Process, line: string): void {
    const { level, event, msg, err } = JSON.parse(line);
    const what = `${event} ${err?.type ?? ''} ${err?.message ?? msg ?? ''}`.slice(0, 160);
    if (level >= 50) this.history.remark(`logged as an error: ${what}`);
    this.history.note(`${process.name} logs ${what}`);
  }

  /** Sends a request to a node over a connection that can fail. Rejects with NoAnswer. */
  call(at: RunningNode, { method, path, body, raw, headers = {}, random = this.random }: Asked): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    let isOver = false;
    const over = (run: () => void): void => {
      if (isOver) return;
      isOver = true;
      at.calls.delete(reset);
      giveUp();
      run();
    };
    const lost = (why: string) => () => over(() => reject(new NoAnswer(why)));
    const reset = (): void => void this.time.after(1, lost('connection reset'));
    const giveUp = this.time.after(30_000, lost('timeout'));
    const { lostRequest, lostReply } = this.weather.http;
    const [isLost, isReplyLost] = [random() < lostRequest, random() < lostReply];
    const [to, back] = [this.travel('http', random), this.travel('http', random)];
    const { process, node } = at;
    const arrive = (): void => {
      if (process.isKilled || !node) return lost('connection refused')();
      at.calls.add(reset);
      process.deliver(() => {
        const asked = request(method, path, raw ?? (body === undefined ? undefined : JSON.stringify(body)), headers);
        const answered = shot.inject((req, res) => {
          // Connection watchers read it, but the library does not set it.
          Object.assign(req, { rawHeaders: Object.entries(asked.headers).flat(), ...HTTP_1_1 });
          node.http.listener.emit('request', req, res);
        }, asked);
        answered.then(
          ({ statusCode, payload, headers: shown }) => {
            if (process.isKilled || isReplyLost) return;
            const isJson = String(shown['content-type'] ?? '').startsWith('application/json');
            const answer: Answer = { status: statusCode, body: isJson ? JSON.parse(payload) : payload, by: process.name };
            this.time.after(back, () => over(() => resolve(answer)));
          },
          (cause) => over(() => reject(cause)),
        );
      });
    };
    if (!isLost) this.time.after(to, arrive);
    return promise;
  }

  /** Lets time pass until the work completes. */
  async during<T>(work: Promise<T>): Promise<T> {
    let isUnder = true;
    const over = (): void => {
      isUnder = false;
    };
    work.then(over, over);
    const since = this.time.monotonic();
    while (isUnder) {
      if (this.time.monotonic() - since > NEVER_MS) throw new Error('it did not end');
      await this.time.advance(10);
    }
    return work;
  }

  /** Resolves after `ms`. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.time.after(ms, resolve));
  }
}

function request(method: string, url: string, payload: string | undefined, headers: Readonly<Record<string, string>>) {
  const sized = payload !== undefined && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) };
  return {
    method,
    url,
    validate: false,
    remoteAddress: '10.9.0.1',
    headers: { host: 'gateway.test', ...sized, ...headers },
    ...(payload !== undefined && { payload }),
  };
}
