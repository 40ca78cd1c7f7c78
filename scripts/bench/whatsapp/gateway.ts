import { join } from 'node:path';
import { present } from '../../../runtime/invariant.ts';
import { type Peer, startPeer } from '../../../test/network-peer/peer.ts';
import { type Call, callerOf, expected } from '../../faults/caller.ts';
import { forkGateway, type Gateway, until } from '../../faults/processes.ts';

const ROOT = join(import.meta.dirname, '../../..');
const OWNER = '6281100009999';
const SENDER = '12025550100';
const SECRET = 'the operator of a bench run';
/** GATEWAY_OF is another checkout of this repository, whose gateway is measured instead. */
const CHILD = join(process.env['GATEWAY_OF'] ?? ROOT, 'scripts/bench/whatsapp/gateway-child.ts');
/** Number of journal entries to keep, which is enough for thousands of devices that send together. */
const JOURNAL = 1_000_000;
/** The same value as in `npm start`. */
const YOUNG_GENERATION = '--max-semi-space-size=6';
const READY_WITHIN_MS = 120_000;

export class BenchGateway {
  readonly peer: Peer;
  readonly #directory: string;
  #child: Gateway | null = null;
  #call: Call = () => Promise.reject(new Error('no gateway runs'));
  #token = '';

  private constructor(peer: Peer, directory: string) {
    this.peer = peer;
    this.#directory = directory;
  }

  static async open(directory: string): Promise<BenchGateway> {
    const gateway = new BenchGateway(await startPeer({ keep: JOURNAL }), directory);
    await gateway.start();
    await gateway.#signUp();
    return gateway;
  }

  readonly api: Call = (method, path, body) => this.#call(method, path, body);

  async start(): Promise<void> {
    const env = {
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: this.#directory,
      MONGODB_URL: '',
      NETWORK: 'whatsapp',
      WHATSAPP_URL: this.peer.url,
      WHATSAPP_ROOT_KEY: this.peer.rootKey,
      ADMIN_SECRET: SECRET,
      LOG_LEVEL: 'fatal',
      NODE_OPTIONS: YOUNG_GENERATION,
    };
    this.#child = forkGateway(CHILD, [], env);
    const authorization = this.#token && { authorization: `Bearer ${this.#token}` };
    this.#call = callerOf(await this.#child.url, { 'x-admin-secret': SECRET, ...authorization }, { keepAlive: false });
  }

  async kill(): Promise<void> {
    await this.#child?.kill();
  }

  async collect(): Promise<void> {
    const child = present(this.#child, 'the gateway');
    const collected = child.says('collected');
    child.arm('collect');
    await Promise.race([collected, child.ended]);
  }

  async metrics(): Promise<(name: string) => number> {
    const text = await (await fetch(`${await this.#child?.url}/metrics`)).text();
    return (name) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
  }

  async link(phone: string): Promise<string> {
    const { id } = expected(await this.#call('POST', '/v1/sessions', {}), 201);
    const path = `/v1/sessions/${id}`;
    expected(await this.#call('POST', `${path}/connect`), 202);
    const qr = await ready('a code to scan', async () => expected(await this.#call('GET', `${path}/qr`), 200, 409).qr);
    await this.peer.phone(phone).scans(qr);
    await ready('the device', async () => (await this.#call('GET', path)).body?.status === 'connected');
    return path;
  }

  async close(): Promise<void> {
    await this.kill();
    await this.peer.stop();
  }

  async #signUp(): Promise<void> {
    const sender = async () => expected(await this.#call('GET', '/v1/admin/sender'), 200);
    expected(await this.#call('POST', '/v1/admin/sender/connect'), 200, 202);
    await this.peer.phone(SENDER).scans(await ready('a code for the sender', async () => (await sender()).qr));
    await ready('the sender', async () => (await sender()).status === 'connected');
    expected(await this.#call('POST', '/auth/register', { name: 'Acme', phone: OWNER }), 200);
    const code = /\d{6}/.exec(this.peer.phone(OWNER).shows().at(-1)?.text ?? '')?.[0];
    this.#token = expected(await this.#call('POST', '/auth/verify-otp', { phone: OWNER, code }), 200).token;
    const url = await present(this.#child, 'the gateway').url;
    this.#call = callerOf(url, { 'x-admin-secret': SECRET, authorization: `Bearer ${this.#token}` }, { keepAlive: false });
    expected(await this.#call('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false } }), 200);
  }
}

async function ready<T>(what: string, check: () => Promise<T>): Promise<NonNullable<T>> {
  const found = await until(READY_WITHIN_MS, check);
  if (!found) throw new Error(`${what} was not ready in time`);
  return found;
}
