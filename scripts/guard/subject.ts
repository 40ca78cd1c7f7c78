import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Child, inTime, kept } from '../chaos/child.ts';
import { type Call, callerOf, expected } from '../faults/caller.ts';
import { until } from '../faults/processes.ts';
import { SENDER_PHONE } from '../wiring/link-sender.ts';
import { HostileServer } from './answering.ts';
import { MemoryMeter } from './memory-meter.ts';
import { HostileNetwork } from './network.ts';
import type { NetworkBeside } from './network-beside.ts';
import type { Measured, Order } from './protocol.ts';

export interface SubjectOptions {
  readonly beside?: NetworkBeside;
  readonly mongodbUrl: string | null;
  readonly redisUrl?: string | null;
  readonly descriptors?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export const SECRETS = {
  admin: 'the operator of the stall guard',
  jwt: 'the tokens of the stall guard are signed with this',
};

export const PAYMENT_SECRETS = {
  STRIPE_WEBHOOK_SECRET: 'whsec_of_the_stall_guard_0001',
  XENDIT_CALLBACK_TOKEN: 'callback-token-of-the-guard-0001',
};

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export const NODE_UNDER_TEST = 'guarded';

export interface Tenant {
  readonly phone: string;
  readonly token: string;
  readonly id: string;
}

export interface Device {
  readonly id: string;
  readonly path: string;
  readonly phone: string;
}

const VICTIM = fileURLToPath(new URL('../victims/start.js', import.meta.url));
const READY_WITHIN_MS = 60_000;
const ANSWERED_WITHIN_MS = 60_000;
/** The options of `npm start`, and access to the garbage collector. */
const NODE_OPTIONS = ['--max-semi-space-size=6', '--expose-gc'];

interface Life {
  readonly process: ChildProcess;
  readonly child: Child;
  readonly url: string;
  readonly memory: MemoryMeter;
  lastWords(): string;
}

/** A node in a separate process. Its store and network outlive the process. */
export class Subject {
  readonly server: HostileServer;
  readonly #beside: NetworkBeside;
  readonly #options: SubjectOptions;
  readonly #directory = mkdtempSync(join(tmpdir(), 'guard-'));
  #life: Life | null = null;

  private constructor(beside: NetworkBeside, server: HostileServer, options: SubjectOptions) {
    this.#beside = beside;
    this.server = server;
    this.#options = options;
  }

  static async start(options: SubjectOptions): Promise<Subject> {
    const subject = new Subject(options.beside ?? (await HostileNetwork.start()), await HostileServer.start(), options);
    await subject.restart();
    return subject;
  }

  async restart(): Promise<void> {
    await this.#end();
    const { descriptors, env = {}, mongodbUrl, redisUrl = null } = this.#options;
    const process_ = forkVictim(descriptors, {
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: this.#directory,
      MONGODB_URL: mongodbUrl ?? '',
      BUS_URL: redisUrl ?? '',
      ...this.#beside.env,
      ...this.#outside(),
      ADMIN_SECRET: SECRETS.admin,
      JWT_SECRET: SECRETS.jwt,
      NODE_ID: NODE_UNDER_TEST,
      LEASE_TTL_MS: '3000',
      LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent',
      ...env,
    });
    const child = kept(process_);
    const listening = new Promise<string>((resolve, reject) => {
      process_.once('message', ({ url }: { readonly url: string }) => resolve(url));
      void child.ended.then(() => reject(new Error('the node ended before it listened')));
    });
    const lastWords = wordsOf(process_);
    const url = await inTime('the node', listening);
    this.#life = { process: process_, child, url, lastWords, memory: new MemoryMeter(process_.pid ?? 0) };
  }

  #outside(): Readonly<Record<string, string>> {
    const { host } = this.server;
    const [url, key] = [`http://${host}`, 'key-of-the-stall-guard-0001'];
    return {
      ...{ AI_URL: `${url}/v1`, AI_MODEL: 'guard', EGRESS_ALLOW: host, EGRESS_ALLOW_READS: host },
      ...{ MIDTRANS_URL: url, XENDIT_URL: url, STRIPE_URL: url },
      ...{ MIDTRANS_SERVER_KEY: key, XENDIT_SECRET_KEY: key, STRIPE_SECRET_KEY: key },
      ...PAYMENT_SECRETS,
    };
  }

  get network(): HostileNetwork {
    if (this.#beside instanceof HostileNetwork) return this.#beside;
    throw new Error('the node is not on the sandbox network');
  }

  get url(): string {
    return this.#running.url;
  }

  get pid(): number {
    return this.#running.process.pid ?? 0;
  }

  get peakMemory(): number {
    return this.#running.memory.peak;
  }

  /** The reason why the process has exited on its own; null while it is running. */
  get ended(): string | null {
    const { process: process_, lastWords } = this.#running;
    const { exitCode, signalCode } = process_;
    return exitCode === null && signalCode === null ? null : `the process ended (${signalCode ?? exitCode}) ${lastWords()}`;
  }

  get #running(): Life {
    if (!this.#life) throw new Error('the node does not run');
    return this.#life;
  }

  as(headers: Readonly<Record<string, string>>): Call {
    return callerOf(this.url, headers, { withinMs: ANSWERED_WITHIN_MS });
  }

  asTenant({ token }: Pick<Tenant, 'token'>): Call {
    return this.as({ authorization: `Bearer ${token}` });
  }

  get operator(): Call {
    return this.as({ 'x-admin-secret': SECRETS.admin });
  }

  async send({ method, path, headers = {}, body }: Sent): Promise<{ readonly status: number; readonly body: string }> {
    const { hostname, port } = new URL(this.url);
    const framed = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = httpRequest({
      hostname,
      port,
      method,
      path,
      agent: false,
      headers: { ...framed, ...headers },
      timeout: ANSWERED_WITHIN_MS,
    });
    sent.on('timeout', () => sent.destroy(new Error('not answered in time')));
    const answered = once(sent, 'response');
    // Sending may fail, because a node that refuses a long body does not read the rest of it.
    sent.on('error', () => {});
    sent.end(body);
    const [response]: IncomingMessage[] = await answered;
    if (!response) throw new Error('no answer');
    if (response.headers['content-type']?.startsWith('text/event-stream')) response.destroy();
    return { status: response.statusCode ?? 0, body: await text(response).catch(() => '') };
  }

  async signUp(phone: string): Promise<Tenant> {
    const api = this.as({});
    const sender = async () => expected(await this.operator('GET', '/v1/admin/sender'), 200, 503);
    if (!this.#beside.linksSender) {
      expected(await this.operator('POST', '/v1/admin/sender/connect'), 200, 202);
      await this.#beside.scan(SENDER_PHONE, await this.#ready('a code for the sender', async () => (await sender()).qr));
    }
    await this.#ready('the sender', async () => (await sender()).status === 'connected');
    expected(await api('POST', '/auth/register', { name: 'Acme', phone }), 200);
    const code = await this.#ready('a code', async () => codeIn(this.#beside.texts(phone)));
    const { token } = expected(await api('POST', '/auth/verify-otp', { phone, code }), 200);
    const me = expected(await this.asTenant({ token })('GET', '/v1/me'), 200);
    return { phone, token, id: me.tenant_id };
  }

  async link(tenant: Tenant, phone: string): Promise<Device> {
    const api = this.asTenant(tenant);
    expected(await api('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false } }), 200);
    const { id } = expected(await api('POST', '/v1/sessions', {}), 201);
    const path = `/v1/sessions/${id}`;
    expected(await api('POST', `${path}/connect`), 202);
    const qr = await this.#ready('a code to scan', async () => expected(await api('GET', `${path}/qr`), 200, 409).qr);
    await this.#beside.scan(phone, qr);
    await this.#ready('the device', async () => expected(await api('GET', path), 200).status === 'connected');
    return { id, path, phone };
  }

  /** Starts a measurement. Returns the resident memory in bytes, after a collection if `collect` is set. */
  async begin(collect: boolean): Promise<number> {
    const begun = await this.#order({ do: 'begin', collect });
    this.#running.memory.begin();
    return begun.is === 'begun' ? begun.rss : 0;
  }

  async worstTurn(): Promise<number> {
    const ended = await this.#order({ do: 'end' });
    return ended.is === 'ended' ? ended.worstMs : 0;
  }

  async close(): Promise<void> {
    await this.#end();
    await this.#beside.close();
    this.server.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #end(): Promise<void> {
    const life = this.#life;
    this.#life = null;
    await life?.memory.stop();
    await life?.child.kill();
  }

  async #order(order: Order): Promise<Measured> {
    const { process: process_, child } = this.#running;
    if (this.ended !== null) throw new Error(this.ended);
    const gone = child.ended.then((): never => {
      throw new Error('the process ended');
    });
    const answered = once(process_, 'message');
    // If the command cannot be sent, the process has ended.
    process_.send(order, () => {});
    const [measured]: Measured[] = await Promise.race([answered, gone]);
    if (!measured) throw new Error('no measure');
    return measured;
  }

  async #ready<T>(what: string, check: () => Promise<T>): Promise<NonNullable<T>> {
    const found = await until(READY_WITHIN_MS, check);
    if (!found) throw new Error(`${what} was not ready in time`);
    return found;
  }
}

/** A descriptor limit must be set before a process starts, so a shell sets it. */
function forkVictim(descriptors: number | undefined, env: Readonly<Record<string, string>>): ChildProcess {
  const bounded =
    descriptors === undefined
      ? { execArgv: NODE_OPTIONS }
      : { execPath: '/bin/sh', execArgv: ['-c', `ulimit -n ${descriptors} && exec "$0" "$@"`, process.execPath, ...NODE_OPTIONS] };
  return fork(VICTIM, ['guard'], { ...bounded, env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
}

const KEPT_WORDS = 20_000;

function wordsOf({ stderr }: ChildProcess): () => string {
  let words = '';
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-KEPT_WORDS);
  });
  return () => /^.*(Error|FATAL)\b.*$/m.exec(words)?.[0].trim() ?? '';
}

async function codeIn(texts: readonly string[]): Promise<string | undefined> {
  return texts.flatMap((text) => /\b\d{6}\b/.exec(text)?.[0] ?? [])[0];
}
