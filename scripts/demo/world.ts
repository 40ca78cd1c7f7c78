import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { openEmbedded } from '../../store/engines/embedded/embedded.ts';
import { type Call, callerOf } from '../faults/caller.ts';
import { startSandboxProcess, until } from '../faults/processes.ts';
import { RedisServer } from '../servers/redis.ts';
import { DemoNode } from './nodes.ts';
import { shareStore } from './shared-store.ts';

export const LEASE_MS = 3_000;
const NODES = ['n1', 'n2', 'n3'];
const READY_WITHIN_MS = 30_000;

type Undo = () => unknown;

interface Parts {
  readonly nodes: readonly DemoNode[];
  readonly sandbox: Call;
  readonly store: string;
  readonly secret: string;
  readonly undo: readonly Undo[];
}

export class World {
  readonly nodes: readonly DemoNode[];
  readonly sandbox: Call;
  readonly store: string;
  readonly #secret: string;
  readonly #undo: readonly Undo[];
  readonly #callers = new Map<string, Call>();
  #token = '';

  constructor(parts: Parts) {
    this.nodes = parts.nodes;
    this.sandbox = parts.sandbox;
    this.store = parts.store;
    this.#secret = parts.secret;
    this.#undo = parts.undo;
  }

  /** If `mongodbUrl` is null, this process shares an embedded store with the nodes. */
  static async open(mongodbUrl: string | null): Promise<World> {
    const undo: Undo[] = [];
    try {
      return await build(mongodbUrl, undo);
    } catch (cause) {
      await undoAll(undo);
      throw cause;
    }
  }

  signedUp(token: string): void {
    this.#token = token;
  }

  call(at: number): Call {
    const running = this.nodes.filter(({ isRunning }) => isRunning);
    const node = running[at % running.length];
    if (!node) return () => Promise.reject(new Error('no node runs'));
    return this.#callers.get(node.url) ?? this.#newCaller(node);
  }

  get secret(): string {
    return this.#secret;
  }

  async close(): Promise<void> {
    await undoAll(this.#undo);
  }

  #newCaller(node: DemoNode): Call {
    const call = node.caller({ 'x-admin-secret': this.#secret, ...(this.#token && { authorization: `Bearer ${this.#token}` }) });
    if (this.#token) this.#callers.set(node.url, call);
    return call;
  }
}

async function build(mongodbUrl: string | null, undo: Undo[]): Promise<World> {
  const directory = mkdtempSync(join(tmpdir(), 'demo-'));
  undo.push(() => rmSync(directory, { recursive: true, force: true }));
  const redis = await RedisServer.start();
  undo.push(() => redis.remove());
  // No node has started yet, so no lease can be in use and nodes need not wait for old leases.
  await redis.flush(true);
  const sandbox = await startSandboxProcess();
  undo.push(() => sandbox.kill());
  const store = mongodbUrl === null ? await sharedStore(directory, undo) : ownDatabase(mongodbUrl, undo);
  const secret = randomBytes(18).toString('base64url');
  const nodes = NODES.map(
    (id) =>
      new DemoNode(id, {
        ...store.env,
        REDIS_URL: `redis://127.0.0.1:${redis.port}`,
        SANDBOX_URL: sandbox.url,
        DATA_DIR: directory,
        ADMIN_SECRET: secret,
        JWT_SECRET: randomSecretFor(secret),
        LEASE_TTL_MS: String(LEASE_MS),
        REBALANCE_MS: '500',
        LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent',
      }),
  );
  undo.push(() => Promise.all(nodes.map((node) => node.kill())));
  await Promise.all(nodes.map((node) => node.start()));
  return new World({ nodes, sandbox: callerOf(sandbox.url), store: store.words, secret, undo });
}

const randomSecretFor = (secret: string): string => `${secret}${secret}`;

interface Shared {
  readonly words: string;
  readonly env: Readonly<Record<string, string>>;
}

async function sharedStore(directory: string, undo: Undo[]): Promise<Shared> {
  const store = openEmbedded({ path: join(directory, 'shared.db') });
  undo.push(() => store.close());
  const { port, close } = await shareStore(store);
  undo.push(close);
  return { words: 'an embedded store, shared over a socket', env: { SHARED_STORE: String(port), MONGODB_URL: '' } };
}

function ownDatabase(mongodbUrl: string, undo: Undo[]): Shared {
  const url = new URL(mongodbUrl);
  url.pathname = `/demo_${randomBytes(4).toString('hex')}`;
  undo.push(async () => {
    const client = await MongoClient.connect(url.href);
    await client.db().dropDatabase();
    await client.close();
  });
  return { words: 'MongoDB', env: { MONGODB_URL: url.href, SHARED_STORE: '' } };
}

/** Runs all steps, starting with the last one, even if some of them fail. */
async function undoAll(undo: readonly Undo[]): Promise<void> {
  for (const step of undo.toReversed()) await Promise.resolve(step()).catch(() => {});
}

export async function ready<T>(what: string, check: () => Promise<T>): Promise<NonNullable<T>> {
  const found = await until(READY_WITHIN_MS, check);
  if (!found) throw new Error(`This did not happen within ${READY_WITHIN_MS / 1000} s: ${what}.`);
  return found;
}
