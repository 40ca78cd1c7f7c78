import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { type RemotePeer, spawnPeer } from '../../test/network-peer/process/remote.ts';
import { type Call, callerOf, expected } from '../faults/caller.ts';
import { startSandboxProcess } from '../faults/processes.ts';
import { RedisServer } from '../servers/redis.ts';
import { isOnPeer } from './both-networks.ts';
import { Gateway, linksTo } from './gateway.ts';
import type { Guard } from './guards.ts';
import { Timeline } from './timeline.ts';

export interface WorldOptions {
  readonly guard: Guard;
  readonly mongodbUrl: string;
  readonly nodes?: number;
  readonly ttlMs?: number;
  /** True to connect nodes to Redis without this process's relay, which could delay them. */
  readonly redisDirectly?: boolean;
  readonly hasPeer?: boolean;
  readonly patienceMs?: number;
  readonly envOf?: (node: string) => Readonly<Record<string, string>>;
}

export interface Device {
  readonly id: string;
  readonly phone: string;
}

const SECRET = 'the operator of a chaos run';
const JWT_SECRET = 'the tokens of a chaos run are signed with this';

export class World {
  readonly guard: Guard;
  readonly ttlMs: number;
  readonly redis: RedisServer;
  readonly sandbox: Call;
  readonly peer: RemotePeer | null;
  readonly gateways: readonly Gateway[];
  readonly timeline = new Timeline();
  readonly devices: Device[] = [];
  stranded = 0;
  token = '';
  readonly #client: MongoClient;
  readonly #sandboxProcess: SandboxProcess;
  readonly #directory = mkdtempSync(join(tmpdir(), 'chaos-'));

  private constructor(options: WorldOptions, servers: Servers) {
    this.guard = options.guard;
    this.ttlMs = options.ttlMs ?? TTL_MS;
    this.redis = servers.redis;
    this.sandbox = callerOf(servers.sandbox.url);
    this.peer = servers.peer;
    this.#sandboxProcess = servers.sandbox;
    this.#client = servers.client;
    const { patienceMs = PATIENCE_MS } = options;
    this.gateways = servers.links.map((links, i) => {
      const id = `n${i + 1}`;
      const redisUrl = options.redisDirectly ? servers.redis.url : `redis://127.0.0.1:${links.redis.port}`;
      const env = { ...this.#env(links, servers.database), REDIS_URL: redisUrl, ...options.envOf?.(id) };
      return new Gateway({ id, links, env, timeline: this.timeline, headers: () => this.headers(), patienceMs });
    });
  }

  static async open(options: WorldOptions): Promise<World> {
    const world = new World(options, await serversFor(options));
    try {
      // The first node starts before the others, because it creates the indexes.
      await world.gateways[0]?.start();
      await Promise.all(world.gateways.slice(1).map((gateway) => gateway.start()));
      return world;
    } catch (cause) {
      await world.close();
      throw cause;
    }
  }

  get db() {
    return this.#client.db();
  }

  get running(): readonly Gateway[] {
    return this.gateways.filter(({ isRunning }) => isRunning);
  }

  readonly api: Call = (method, path, body) => {
    const gateway = this.running[0];
    return gateway ? gateway.call(method, path, body) : Promise.reject(new Error('no node runs'));
  };

  headers(): Readonly<Record<string, string>> {
    return { 'x-admin-secret': SECRET, ...(this.token && { authorization: `Bearer ${this.token}` }) };
  }

  signedUp(token: string): void {
    this.token = token;
    for (const gateway of this.gateways) gateway.speakTo();
  }

  async devicesOf(node: string): Promise<readonly Device[]> {
    const ids = new Set(
      (
        await this.db
          .collection('devices')
          .find({ node }, { projection: { _id: 1 } })
          .toArray()
      ).map(({ _id }) => String(_id)),
    );
    return this.devices.filter(({ id }) => ids.has(id));
  }

  async close(): Promise<void> {
    await Promise.all(this.gateways.map((gateway) => gateway.close()));
    await this.#sandboxProcess.kill();
    await this.peer?.stop();
    await this.redis.remove();
    await this.db.dropDatabase().catch(() => {});
    await this.#client.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  get directory(): string {
    return this.#directory;
  }

  /** Returns false if the code is stale, because the device reconnected or shows the next code. */
  async scan(device: string, phone: string, qr: string): Promise<boolean> {
    if (this.peer && isOnPeer(device)) {
      await this.peer.scan(phone, qr);
      return true;
    }
    const scanned = await this.sandbox('POST', `/sandbox/phones/${phone}/scan`, { qr });
    expected(scanned, 200, 404, 409);
    return scanned.status === 200;
  }

  #env({ mongo, sandbox, peer }: Gateway['links'], database: URL): Readonly<Record<string, string>> {
    const through = new URL(database);
    through.host = `127.0.0.1:${mongo.port}`;
    through.searchParams.set('directConnection', 'true');
    return {
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: this.#directory,
      MONGODB_URL: through.href,
      ...(peer && { WHATSAPP_URL: `ws://127.0.0.1:${peer.port}`, WHATSAPP_ROOT_KEY: this.peer?.rootKey ?? '' }),
      SANDBOX_URL: `http://127.0.0.1:${sandbox.port}`,
      ADMIN_SECRET: SECRET,
      JWT_SECRET,
      LEASE_TTL_MS: String(this.ttlMs),
      LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'fatal',
      GUARD: this.guard,
    };
  }
}

const TTL_MS = 3_000;
const PATIENCE_MS = 6_000;
const NODES = 3;

type SandboxProcess = Awaited<ReturnType<typeof startSandboxProcess>>;

interface Servers {
  readonly redis: RedisServer;
  readonly sandbox: SandboxProcess;
  readonly peer: RemotePeer | null;
  readonly client: MongoClient;
  readonly database: URL;
  readonly links: readonly Gateway['links'][];
}

async function serversFor({ mongodbUrl, nodes = NODES, hasPeer = false }: WorldOptions): Promise<Servers> {
  const database = new URL(mongodbUrl);
  database.pathname = `/chaos_${randomBytes(6).toString('hex')}`;
  const redis = await RedisServer.start();
  const sandbox = await startSandboxProcess();
  const peer = hasPeer ? await spawnPeer() : null;
  const peerUrl = peer && new URL(peer.url);
  const client = await MongoClient.connect(database.href);
  const links = await Promise.all(Array.from({ length: nodes }, () => linksTo(redis.port, database, new URL(sandbox.url), peerUrl)));
  return { redis, sandbox, peer, client, database, links };
}
