import { type Logger, pino } from 'pino';
import { plansFrom } from '../../actors/domain/plans.ts';
import type { Network } from '../../actors/network/port.ts';
import { createSandbox, type Sandbox } from '../../actors/network/sandbox/sandbox.ts';
import type { RowFacts } from '../../http/core/engine.ts';
import type { Limits } from '../../http/limits/limits.ts';
import type { ChildProcesses } from '../../runtime/child-processes/child-processes.ts';
import { seededRandom } from '../../runtime/random.ts';
import { VirtualClock } from '../../runtime/testing/virtual-clock.ts';
import { type Config, readConfig } from '../../scripts/wiring/config.ts';
import { type Node, startNode } from '../../scripts/wiring/node.ts';
import type { Store } from '../../store/port.ts';
import { busyStore } from './busy-store.ts';
import { NEVER_FULL } from './limits.ts';
import { expectListed, rowFinder } from './listed-refusals.ts';
import { codeOn } from './one-time-code.ts';
import { aDirectory, lastFirst, type Scope, type StoreKind, storeOfGateway } from './stores.ts';

export { codeOn };

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: stories look into answers of every shape; their schemas are checked by the server itself
  readonly body: any;
}

/** Calls the running gateway over a socket, with one caller's credentials. */
export type Api = (method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

export interface Gateway {
  readonly clock: VirtualClock;
  readonly sandbox: Sandbox;
  readonly store: Store;
  readonly node: Node;
  /** API without credentials. */
  readonly api: Api;
  /** API with the operator's secret. */
  readonly operator: Api;
  as(token: string): Api;
  /**
   * Lets time pass until `check` returns a truthy value, and returns it. Fails after ten virtual minutes and another
   * ten real seconds.
   */
  until<T>(what: string, check: () => Promise<T> | T): Promise<Truthy<T>>;
  /** Lets time pass while `work` is pending. `pauseMs`: real time between steps, OTHER_PROCESS_MS if a process does the work. */
  during<T>(work: Promise<T>, pauseMs?: number): Promise<T>;
  signUp(name?: string, phone?: string): Promise<Tenant>;
  /** Kills the process without draining, and starts a new one over the same store and network. `meanwhile`: while there is none. */
  crash(meanwhile?: () => void): Promise<Gateway>;
}

export interface Tenant {
  readonly api: Api;
  readonly id: string;
  readonly phone: string;
  readonly tokens: { readonly token: string; readonly refresh_token: string };
  /** Links a device to the phone `digits` and waits until it is online. */
  linked(digits: string): Promise<Device>;
}

export interface Device {
  readonly id: string;
  readonly path: string;
  status(): Promise<string>;
  /** Sends a text. Returns the message id. */
  text(to: string, body: string, more?: object): Promise<string>;
  /** Returns the full log entry. */
  message(id: string): Promise<Answer['body']>;
}

interface Options {
  readonly kind: StoreKind;
  readonly config?: Partial<Config>;
  readonly network?: (sandbox: Sandbox) => Network;
  /** Rate limits; default: never reached. */
  readonly limits?: Limits;
  readonly log?: Logger;
  readonly children?: ChildProcesses;
  /** Wraps the store. Virtual time does not wait for the wrapper's own work. */
  readonly over?: (store: Store) => Store;
  /** The data directory, for data of an earlier gateway. Default: an empty one. */
  readonly directory?: string;
  /** Epoch ms at which virtual time starts. */
  readonly startsAt?: number;
}

/** State that survives a crash. */
interface World {
  readonly scope: Scope;
  readonly options: Options;
  readonly clock: VirtualClock;
  readonly sandbox: Sandbox;
  readonly store: Store;
  readonly directory: string;
}

export const PHONE = '6281100000001';
export const ANNA = '6281211110001';

/**
 * Starts a complete gateway: real HTTP over a socket, real actors, a real store and the sandbox network, on virtual
 * time.
 */
export async function aGateway(scope: Scope, options: Options): Promise<Gateway> {
  const clock = new VirtualClock(options.startsAt);
  const sandbox = createSandbox({ clock, random: seededRandom(1) });
  const own = lastFirst(scope);
  const { store, isBusy, completed } = busyStore(await storeOfGateway(options.kind, own));
  clock.waitWhile(isBusy, 'the store', { completed });
  return start({
    scope: own,
    options,
    clock,
    sandbox,
    store: options.over?.(store) ?? store,
    directory: options.directory ?? aDirectory(own),
  });
}

async function start(world: World): Promise<Gateway> {
  const { clock, sandbox, store, options } = world;
  const config: Config = {
    ...readConfig({}, '/nowhere'),
    port: 0,
    data_dir: world.directory,
    node_id: 'n1',
    plans: plansFrom({}),
    ...options.config,
  };
  const network = options.network?.(sandbox) ?? sandbox.network();
  const node = await startNode(config, {
    clock,
    store,
    network,
    random: seededRandom(2),
    log: options.log ?? pino({ level: process.env['TEST_LOG'] ?? 'silent' }),
    checkAnswers: true,
    limits: options.limits ?? NEVER_FULL,
    ...(options.children && { children: options.children }),
  });
  let stopped = false;
  world.scope.after(async () => {
    if (!stopped) await during(clock, node.stop());
  });

  const expectAnswer = expectListedOf(node.http.rows);
  const callingAs = (credentials: Readonly<Record<string, string>>): Api => calling(node.url, credentials, expectAnswer);
  const api = callingAs({});
  const gateway: Gateway = {
    clock,
    sandbox,
    store,
    node,
    api,
    operator: callingAs({ 'x-admin-secret': node.secrets.admin }),
    as: (token) => callingAs({ authorization: `Bearer ${token}` }),
    until: (what, check) => until(clock, what, check),
    during: (work, pauseMs) => during(clock, work, pauseMs),
    signUp: (name = 'Acme', phone = '+62 811-0000-9999') => signUp(gateway, name, phone),
    async crash(meanwhile = () => {}) {
      stopped = true;
      await node.actors.shutdown();
      await during(clock, node.http.stop({ timeoutMs: 0 }));
      meanwhile();
      return start(world);
    },
  };
  await linkPlatformSender(gateway);
  return gateway;
}

export async function linkPlatformSender({ operator, sandbox, until }: Gateway): Promise<void> {
  const state = async () => (await operator('GET', '/v1/admin/sender')).body;
  if ((await state()).status === 'pending') {
    await operator('POST', '/v1/admin/sender/connect');
    const { qr } = await until('the sender shows a code', async () => {
      const shown = await state();
      return shown.qr ? shown : null;
    });
    sandbox.phone('12025550100').scan({ qr });
  }
  await until('the sender is online', async () => (await state()).status === 'connected');
}

export async function signUp(gateway: Gateway, name: string, phone: string): Promise<Tenant> {
  const digits = phone.replace(/\D/g, '');
  await gateway.during(gateway.api('POST', '/auth/register', { name, phone }));
  const tokens = (await gateway.api('POST', '/auth/verify-otp', { phone, code: codeOn(gateway.sandbox, digits) })).body;
  const api = gateway.as(tokens.token);
  const { body } = await api('GET', '/v1/me');
  return { api, id: body.tenant_id, phone: digits, tokens, linked: (own) => linked(gateway, api, own) };
}

async function linked({ sandbox, until }: Gateway, api: Api, own: string): Promise<Device> {
  const { id } = (await api('POST', '/v1/sessions', {})).body;
  const path = `/v1/sessions/${id}`;
  await api('POST', `${path}/connect`);
  const qr = await until('a code to scan', async () => (await api('GET', `${path}/qr`)).body.qr);
  sandbox.phone(own).scan({ qr });
  const status = async (): Promise<string> => (await api('GET', path)).body.status;
  await until('the device is online', async () => (await status()) === 'connected');
  return {
    id,
    path,
    status,
    async text(to, body, more = {}) {
      const answer = await api('POST', `${path}/messages`, { chat_id: to, type: 'text', body, ...more });
      if (answer.status !== 202) throw new Error(`not accepted: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body.id;
    },
    message: async (message) => (await api('GET', `${path}/messages/${message}`)).body,
  };
}

/** Real time. A call that waits for the stopped virtual clock would otherwise never end. */
const ANSWERED_WITHIN_MS = 120_000;

type Expect = (method: string, path: string, answer: Answer) => void;

/** Throws an Error if an endpoint answers with a code that its OpenAPI operation does not list. */
function expectListedOf(rows: readonly RowFacts[]): Expect {
  const find = rowFinder(rows);
  return (method, path, { status, body }) => {
    if (status < 400 || typeof body?.code !== 'string') return;
    const row = find(method, path);
    // Endpoints of other gateways have errors of their own form.
    if (row && !row.shownError) expectListed(row, { status, code: body.code }, `${method} ${path} ${JSON.stringify(body)}`);
  };
}

export function calling(url: string, credentials: Readonly<Record<string, string>>, expect?: Expect): Api {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
      headers: { ...credentials, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) }),
    }).catch((cause) => {
      const why = cause.name === 'TimeoutError' ? 'no answer, perhaps because it waits for time to pass (`during`)' : 'no answer';
      throw new Error(`${method} ${path}: ${why}`, { cause });
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const answer = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    expect?.(method, path, answer);
    return answer;
  };
}

const STEP_MS = 25;
const MAX_MS = 10 * 60_000;
const MAX_STEPS = MAX_MS / STEP_MS;
/** Later polls are less frequent: each costs a request or two, and a test over minutes does not need thousands. */
const FINENESS = 32;

/** Number of initial steps that are all polled, because recent requests may need only real time. */
const FIRST_STEPS = 8;
/** If no timer ran, only another thread or process can have changed anything, so polling every few steps is enough. */
const QUIET_STEPS = 8;
/** Real time that other threads or processes get after ten virtual minutes, in ms. */
const REAL_MS = 10_000;

export async function until<T>(clock: VirtualClock, what: string, check: () => Promise<T> | T): Promise<Truthy<T>> {
  const since = clock.monotonic();
  let quiet = 0;
  for (let step = 0, passed = 0; passed < MAX_MS; step += 1, passed = clock.monotonic() - since) {
    if (step < FIRST_STEPS || quiet % QUIET_STEPS === 0) {
      const found = await check();
      if (found) return found as Truthy<T>;
    }
    const { ran } = clock;
    await clock.advance(STEP_MS * Math.ceil((passed + 1) / (STEP_MS * FINENESS)));
    quiet = clock.ran === ran ? quiet + 1 : 0;
  }
  for (const end = performance.now() + REAL_MS; performance.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const found = await check();
    if (found) return found as Truthy<T>;
  }
  throw new Error(`never happened: ${what}`);
}

/** A process needs the CPU more than steps of time do. */
export const OTHER_PROCESS_MS = 4;

async function during<T>(clock: VirtualClock, work: Promise<T>, pauseMs = 1): Promise<T> {
  let under = true;
  const over = () => {
    under = false;
  };
  work.then(over, over);
  for (let step = 0; under; step += 1) {
    if (step === MAX_STEPS) throw new Error('ten virtual minutes went by, and what was waited for did not end');
    await clock.advance(STEP_MS);
    // Sockets and servers need real time.
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return work;
}
