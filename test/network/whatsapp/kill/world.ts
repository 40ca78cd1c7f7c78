import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { type Call, callerOf, expected } from '../../../../scripts/faults/caller.ts';
import { type Gateway, startVictim, until } from '../../../../scripts/faults/processes.ts';
import { type Peer, startPeer } from '../../peer/peer.ts';

export const SHOP = '6281100000001';
const OWNER = '6281100009999';
const SENDER = '12025550100';
const SECRET = 'the operator of a kill run';
const VICTIM = '../../test/network/whatsapp/kill/victim.ts';
const READY_WITHIN_MS = 30_000;

/** A network that lives through everything, here, and a gateway in a process of its own that is killed and started again over one store. */
export class KillWorld {
  readonly peer: Peer;
  /** Of the device, in the API. */
  path = '';
  #gateway: Gateway | null = null;
  #call: Call = () => Promise.reject(new Error('no gateway runs'));
  #token = '';
  readonly #directory = mkdtempSync(join(tmpdir(), 'kills-'));
  readonly #mongodbUrl: string | null;

  private constructor(peer: Peer, mongodbUrl: string | null) {
    this.peer = peer;
    this.#mongodbUrl = mongodbUrl;
  }

  static async open(mongodbUrl: string | null): Promise<KillWorld> {
    const world = new KillWorld(await startPeer({ keep: 2_000_000 }), mongodbUrl);
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

  readonly api: Call = (method, path, body) => this.#call(method, path, body);

  get gateway(): Gateway {
    if (!this.#gateway) throw new Error('no gateway runs');
    return this.#gateway;
  }

  async start(): Promise<void> {
    const env = {
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: this.#directory,
      MONGODB_URL: this.#mongodbUrl ?? '',
      NETWORK: 'whatsapp',
      WHATSAPP_URL: this.peer.url,
      WHATSAPP_ROOT_KEY: this.peer.rootKey,
      ADMIN_SECRET: SECRET,
      LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'fatal',
    };
    this.#gateway = startVictim(env, VICTIM);
    this.#call = this.#caller(await this.gateway.url);
  }

  /** Waits until the device is on the network again. */
  online(): Promise<unknown> {
    return this.#ready('the device', async () => expected(await this.#call('GET', this.path), 200).status === 'connected');
  }

  async close(): Promise<void> {
    await this.#gateway?.kill();
    await this.peer.stop();
    rmSync(this.#directory, { recursive: true, force: true });
    if (this.#mongodbUrl) await dropDatabase(this.#mongodbUrl);
  }

  #caller(url: string): Call {
    return callerOf(
      url,
      { 'x-admin-secret': SECRET, ...(this.#token && { authorization: `Bearer ${this.#token}` }) },
      { keepAlive: false },
    );
  }

  async #signUp(): Promise<void> {
    const sender = async () => expected(await this.#call('GET', '/v1/admin/sender'), 200);
    expected(await this.#call('POST', '/v1/admin/sender/connect'), 200, 202);
    await this.peer.phone(SENDER).scans(await this.#ready('a code for the sender', async () => (await sender()).qr));
    await this.#ready('the sender', async () => (await sender()).status === 'connected');
    expected(await this.#call('POST', '/auth/register', { name: 'Acme', phone: OWNER }), 200);
    const code = /\d{6}/.exec(this.peer.phone(OWNER).shows().at(-1)?.text ?? '')?.[0];
    this.#token = expected(await this.#call('POST', '/auth/verify-otp', { phone: OWNER, code }), 200).token;
    this.#call = this.#caller(await this.gateway.url);
    expected(await this.#call('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false } }), 200);
  }

  async #link(): Promise<void> {
    const { id } = expected(await this.#call('POST', '/v1/sessions', {}), 201);
    this.path = `/v1/sessions/${id}`;
    expected(await this.#call('POST', `${this.path}/connect`), 202);
    const qr = await this.#ready('a code to scan', async () => expected(await this.#call('GET', `${this.path}/qr`), 200, 409).qr);
    await this.peer.phone(SHOP).scans(qr);
    await this.online();
  }

  async #ready<T>(what: string, check: () => Promise<T>): Promise<NonNullable<T>> {
    const found = await until(READY_WITHIN_MS, check);
    if (!found) throw new Error(`${what} was not ready in time`);
    return found;
  }
}

async function dropDatabase(url: string): Promise<void> {
  const client = await MongoClient.connect(url);
  await client.db().dropDatabase();
  await client.close();
}
