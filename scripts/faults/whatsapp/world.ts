import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { at } from '../../../runtime/invariant.ts';
import { type Peer, startPeer } from '../../../test/network-peer/peer.ts';
import { shelf } from '../../../test/support/shelf.ts';
import { type Call, callerOf, expected } from '../caller.ts';
import { type Gateway, startVictim, until } from '../processes.ts';
import type { Guard } from './guards.ts';

export const SHOP = '6281100000001';
export const CONTACTS = ['6281100000011', '6281100000012', '6281100000013'];
const PICTURE = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
/** The gateway records only events for which a webhook is registered. */
const FEATURE_EVENTS = [
  ...['channel.joined', 'label.updated', 'label.assigned', 'blocklist.changed'],
  ...['group.joined', 'group.updated', 'group.participants'],
];
const OWNER = '6281100009999';
const SENDER = '12025550100';
const SECRET = 'the operator of a kill run';
/** Makes garbage collections rare, which a gateway that lives for a second does not need. */
const UNCOLLECTED = ['--initial-heap-size=512', '--min-semi-space-size=16', '--max-semi-space-size=16'];
const READY_WITHIN_MS = 180_000;
const STARTED_WITHIN_MS = 600_000;
/** All runs on this machine share this cache, so that killed gateways need not compile again. */
export const COMPILED = join(tmpdir(), 'kills-compiled');

export interface KillWorldOptions {
  readonly mongodbUrl: string | null;
  readonly guard?: Guard;
  /** False to disable the failpoints and to prepare no second gateway. */
  readonly isKilled?: boolean;
}

export class KillWorld {
  readonly peer: Peer;
  path = '';
  group = '';
  channel = '';
  file = '';
  readonly answers = new Map<string, unknown>();
  isAlive = false;
  #gateway: Gateway | null = null;
  #next: Gateway | null = null;
  #call: Call = () => Promise.reject(new Error('no gateway runs'));
  #token = '';
  readonly #directory = mkdtempSync(join(shelf, 'kills-'));
  readonly #options: KillWorldOptions;

  private constructor(peer: Peer, options: KillWorldOptions) {
    this.peer = peer;
    this.#options = options;
    writeFileSync(this.#certificate, peer.media.certificate);
  }

  static async open(options: KillWorldOptions): Promise<KillWorld> {
    const world = new KillWorld(await startPeer({ keep: 2_000_000 }), options);
    try {
      await world.start();
      await world.#signUp();
      await world.#link();
      if (world.#isKilled) world.gateway.arm('keep code');
      return world;
    } catch (cause) {
      await world.close();
      throw cause;
    }
  }

  readonly api: Call = (...call) => this.#call(...call);

  get guard(): Guard {
    return this.#options.guard ?? 'on';
  }

  get #isKilled(): boolean {
    return this.#options.isKilled ?? true;
  }

  get gateway(): Gateway {
    if (!this.#gateway) throw new Error('no gateway runs');
    return this.#gateway;
  }

  async start(armed?: string): Promise<void> {
    this.#gateway = this.#next ?? this.#prepare();
    if (armed) this.#gateway.arm(`go ${armed}`);
    else this.#gateway.arm('go');
    this.isAlive = true;
    void this.#gateway.ended.then(() => {
      this.isAlive = false;
    });
    this.#next = this.#isKilled ? this.#prepare() : null;
    // An armed gateway may die before it listens, so its URL is not awaited.
    if (!armed) this.#call = this.#caller(await this.gateway.url);
  }

  async passed(): Promise<ReadonlyMap<string, number>> {
    const path = join(this.#directory, 'passed.json');
    this.gateway.arm('tell');
    await this.#ready('the count', async () => existsSync(path));
    const counts: readonly [string, number][] = JSON.parse(readFileSync(path, 'utf8'));
    return new Map(counts);
  }

  #prepare(): Gateway {
    const env = {
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: this.#directory,
      MONGODB_URL: this.#options.mongodbUrl ?? '',
      NETWORK: 'whatsapp',
      WHATSAPP_URL: this.peer.url,
      WHATSAPP_ROOT_KEY: this.peer.rootKey,
      NODE_EXTRA_CA_CERTS: this.#certificate,
      NODE_COMPILE_CACHE: COMPILED,
      ADMIN_SECRET: SECRET,
      GUARD: this.guard,
      UNWATCHED: this.#isKilled ? '' : '1',
      LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'fatal',
    };
    return startVictim('whatsapp', env, { withinMs: STARTED_WITHIN_MS, execArgv: UNCOLLECTED });
  }

  get #certificate(): string {
    return join(this.#directory, 'media.pem');
  }

  online(): Promise<unknown> {
    return this.#ready('the device', async () => expected(await this.#call('GET', this.path), 200).status === 'connected');
  }

  async close(): Promise<void> {
    await Promise.all([this.#gateway?.kill(), this.#next?.kill()]);
    await this.peer.stop();
    rmSync(this.#directory, { recursive: true, force: true });
    if (this.#options.mongodbUrl) await dropDatabase(this.#options.mongodbUrl);
  }

  #caller(url: string): Call {
    return callerOf(
      url,
      { 'x-admin-secret': SECRET, ...(this.#token && { authorization: `Bearer ${this.#token}` }) },
      { keepAlive: false },
    );
  }

  async #signUp(): Promise<void> {
    const sender = async () => expected(await this.#call('GET', '/v1/admin/sender'), 200, 503);
    expected(await this.#call('POST', '/v1/admin/sender/connect'), 200, 202);
    await this.peer.phone(SENDER).scans(await this.#ready('a code for the sender', async () => (await sender()).qr));
    await this.#ready('the sender', async () => (await sender()).status === 'connected');
    expected(await this.#call('POST', '/auth/register', { name: 'Acme', phone: OWNER }), 200);
    const code = /\d{6}/.exec(this.peer.phone(OWNER).shows().at(-1)?.text ?? '')?.[0];
    this.#token = expected(await this.#call('POST', '/auth/verify-otp', { phone: OWNER, code }), 200).token;
    this.#call = this.#caller(await this.gateway.url);
    // The platform's sender is no longer needed. It would log in again after each kill.
    this.peer.phone(SENDER).unlinks();
    expected(await this.#call('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false } }), 200);
  }

  async #link(): Promise<void> {
    const { id } = expected(await this.#call('POST', '/v1/sessions', {}), 201);
    this.path = `/v1/sessions/${id}`;
    expected(await this.#call('POST', `${this.path}/connect`), 202);
    const qr = await this.#ready('a code to scan', async () => expected(await this.#call('GET', `${this.path}/qr`), 200, 409).qr);
    await this.peer.phone(SHOP).scans(qr);
    await this.online();
    this.group = this.peer.group([SHOP, ...CONTACTS.slice(0, 2)]).jid;
    this.file = await this.#upload(PICTURE);
    await this.#open();
  }

  async #open(): Promise<void> {
    const hook = { url: 'https://example.com/hook', secret: SECRET.padEnd(32, '.'), events: FEATURE_EVENTS };
    const { id } = expected(await this.#call('POST', '/v1/webhooks', hook), 201);
    // The webhook has no receiver, because its events are only pulled.
    expected(await this.#call('PATCH', `/v1/webhooks/${id}`, { paused: true }), 200);
    const can = async () => expected(await this.#call('GET', `${this.path}/capabilities`), 200);
    await this.#ready('the keys of labels', async () => (await can()).labels === true);
    this.channel = expected(await this.#call('POST', `${this.path}/channels`, { name: 'News' }), 201).id;
    this.peer.channels.get(this.channel)?.followers.add(this.peer.phone(at(CONTACTS, 0)).account);
  }

  async #upload(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'image/png' };
    const response = await fetch(`${await this.gateway.url}/v1/media/upload`, { method: 'POST', headers, body: bytes });
    const { key }: { key: string } = JSON.parse(await response.text());
    return key;
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
