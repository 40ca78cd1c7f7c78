import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { type Call, callerOf, expected } from './caller.ts';
import type { Guard } from './guards.ts';
import { type Child, type Gateway, startSandboxProcess, startVictim, until } from './processes.ts';

export interface WorldOptions {
  readonly guard: Guard;
  readonly mongodbUrl: string | null;
  readonly victim?: { readonly name: string; readonly env: Readonly<Record<string, string>> };
}

export const SHOP = '6281100000001';
const OWNER = '6281100009999';
const SECRET = 'the operator of a fault run';
const READY_WITHIN_MS = 30_000;

export class World {
  readonly guard: Guard;
  readonly sandbox: Call;
  path = '';
  #gateway: Gateway | null = null;
  #api: Call = () => Promise.reject(new Error('no gateway runs'));
  #token = '';
  readonly #sandboxProcess: Child & { readonly url: string };
  readonly directory = mkdtempSync(join(tmpdir(), 'faults-'));
  readonly #mongodbUrl: string | null;
  readonly #victim: WorldOptions['victim'];

  private constructor({ guard, mongodbUrl, victim }: WorldOptions, sandbox: Child & { readonly url: string }) {
    this.guard = guard;
    this.#mongodbUrl = mongodbUrl;
    this.#victim = victim;
    this.#sandboxProcess = sandbox;
    this.sandbox = callerOf(sandbox.url, {}, { keepAlive: false });
  }

  static async open(options: WorldOptions): Promise<World> {
    const world = new World(options, await startSandboxProcess());
    try {
      await world.start();
      await world.#signUp();
      await world.#link();
      return world;
    } catch (cause) {
      await world.close();
      throw cause;
    }
  }

  readonly api: Call = (method, path, body) => this.#api(method, path, body);

  get gateway(): Gateway {
    if (!this.#gateway) throw new Error('no gateway runs');
    return this.#gateway;
  }

  async start(): Promise<void> {
    this.startArmed('');
    this.#api = this.#caller(await this.gateway.url);
  }

  /** The failpoint may be passed before the gateway listens. */
  startArmed(failpoint: string): void {
    const env = {
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: this.directory,
      MONGODB_URL: this.#mongodbUrl ?? '',
      SANDBOX_URL: this.#sandboxProcess.url,
      ADMIN_SECRET: SECRET,
      LOG_LEVEL: 'error',
      GUARD: this.guard,
      FAILPOINT: failpoint,
      ...this.#victim?.env,
    };
    this.#gateway = startVictim(this.#victim?.name ?? 'sandbox', env);
  }

  async close(): Promise<void> {
    await this.#gateway?.kill();
    await this.#sandboxProcess.kill();
    rmSync(this.directory, { recursive: true, force: true });
    if (this.#mongodbUrl) await dropDatabase(this.#mongodbUrl);
  }

  #caller(url: string): Call {
    const headers = { 'x-admin-secret': SECRET, ...(this.#token && { authorization: `Bearer ${this.#token}` }) };
    return callerOf(url, headers, { keepAlive: true });
  }

  async #signUp(): Promise<void> {
    await this.#ready('the sender', async () => expected(await this.#api('GET', '/v1/admin/sender'), 200).status === 'connected');
    expected(await this.#api('POST', '/auth/register', { name: 'Acme', phone: OWNER }), 200);
    const { messages } = expected(await this.sandbox('GET', `/sandbox/phones/${OWNER}/messages`), 200);
    const code = /\d{6}/.exec(messages[0].body)?.[0];
    const { token } = expected(await this.#api('POST', '/auth/verify-otp', { phone: OWNER, code }), 200);
    this.#token = token;
    this.#api = this.#caller(await this.gateway.url);
    expected(await this.#api('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false } }), 200);
  }

  async #link(): Promise<void> {
    const { id } = expected(await this.#api('POST', '/v1/sessions', {}), 201);
    this.path = `/v1/sessions/${id}`;
    expected(await this.#api('POST', `${this.path}/connect`), 202);
    await this.#ready('a code to scan', async () => {
      const { qr } = expected(await this.#api('GET', `${this.path}/qr`), 200, 409);
      const scanned = qr && (await this.sandbox('POST', `/sandbox/phones/${SHOP}/scan`, { qr }));
      return scanned && expected(scanned, 200, 404, 409) && scanned.status === 200;
    });
    await this.#ready('the device', async () => expected(await this.#api('GET', this.path), 200).status === 'connected');
  }

  async #ready<T>(what: string, check: () => Promise<T>): Promise<NonNullable<T>> {
    const found = await until(READY_WITHIN_MS, check);
    if (!found) throw new Error(`${what} was not ready in time`);
    return found;
  }
}

export async function dropDatabase(url: string): Promise<void> {
  const client = await MongoClient.connect(url);
  await client.db().dropDatabase();
  await client.close();
}
