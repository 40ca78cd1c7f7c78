import Joi from 'joi';
import { pino } from 'pino';
import { planOf, plansFrom } from '../../actors/domain/plans.ts';
import { refusal } from '../../actors/domain/refusals.ts';
import { NOTHING_TO_HIDE } from '../../actors/services/conversations/visibility.ts';
import { BY_FORM_ALONE } from '../../actors/services/identities/number-reader.ts';
import type { AuthContext, Authenticator } from '../../http/core/authenticator-port.ts';
import { bind } from '../../http/core/bind.ts';
import { type Area, type Bytes, type Caller, Raw, rowsFor, type Upload } from '../../http/core/row.ts';
import { requiredWhen, TimeInput } from '../../http/core/schemas.ts';
import { faultIfPast } from '../../http/core/times.ts';
import { LimitsInMemory } from '../../http/limits/limits.ts';
import { createServer, type HttpServer, type ServerOptions } from '../../http/server/server.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { DeviceRow } from '../../store/devices/devices.ts';

/** Interface between the sample endpoints and tests, which decide what happens in a call. */
export interface SampleWorld {
  inside(call: SampleCall): unknown;
}

/** Facts about a call for its handler. */
interface SampleCall {
  /** Epoch ms. */
  readonly now: number;
}

const row = rowsFor<SampleWorld>();
const Id = Joi.string()
  .pattern(/^[A-Z0-9]{1,26}$/)
  .required();
const inDevice = Joi.object<{ sessionId: string }>({ sessionId: Id });
const anything = Joi.any();

function asNumber(text: string): string {
  if (text === 'nobody') throw refusal('INVALID_NUMBER');
  return text;
}

interface Note {
  type: 'text' | 'place';
  body?: string;
  lat?: number;
  loud: boolean;
  tags?: string[];
  by?: { name: string; at?: number | null };
  at?: number;
}

const note = Joi.object<Note>({
  type: Joi.string().valid('text', 'place').required().description('What kind'),
  body: requiredWhen(Joi.string().min(1).max(100), 'type', 'text').example('Hello'),
  lat: requiredWhen(Joi.number().min(-90).max(90), 'type', 'place'),
  loud: Joi.boolean().default(false),
  tags: Joi.array().items(Joi.string().max(10)).max(3),
  by: Joi.object({ name: Joi.string().required(), at: Joi.number().integer().allow(null) }),
  at: TimeInput,
});

const run = (services: SampleWorld, call: SampleCall) => services.inside(call) ?? { ok: true };
const open = { method: 'GET', status: 200, returns: anything, run } as const;

const ANYBODY = { agents: true, deviceKeys: true } as const;

/** Endpoints with every kind of access, limit and body. */
export const sample: Area<SampleWorld> = {
  name: 'sample',
  about: 'Rows for tests.',
  rows: [
    row({ ...open, id: 'open', path: '/open', summary: 'Open', access: 'none', refuses: ['CONFLICT'] }),
    row({ ...open, id: 'openPost', method: 'POST', path: '/open-post', summary: 'Open, with a body', access: 'none' }),
    row({ ...open, id: 'bearer', path: '/v1/bearer', summary: 'Bearer', access: 'bearer', ...ANYBODY }),
    row({ ...open, id: 'manage', method: 'POST', path: '/v1/bearer', summary: 'Manage', access: 'bearer', ...ANYBODY }),
    row({ ...open, id: 'login', path: '/v1/login', summary: 'Login', access: 'login', ...ANYBODY }),
    row({ ...open, id: 'owner', path: '/v1/owner', summary: 'Owner', access: 'owner' }),
    row({ ...open, id: 'keys', path: '/v1/keys', summary: 'Keys', access: 'keys' }),
    row({ ...open, id: 'operator', path: '/v1/admin/operator', summary: 'Operator', access: 'operator' }),
    row({ ...open, id: 'undeclared', path: '/v1/undeclared', summary: 'Says nothing of who else may use it', access: 'bearer' }),
    row({ ...open, id: 'agents', path: '/v1/agents-too', summary: 'Agents', access: 'bearer', agents: true }),
    row({ ...open, id: 'deviceKeys', path: '/v1/device-keys-too', summary: 'Device keys', access: 'bearer', deviceKeys: true }),
    row({ ...open, id: 'two', path: '/v1/two', summary: 'Two scopes', access: 'bearer', scope: ['read', 'manage'], ...ANYBODY }),
    row({ ...open, id: 'heavy', method: 'POST', path: '/v1/heavy', summary: 'Heavy', access: 'bearer', heavy: true }),
    row({ ...open, id: 'heavyRead', path: '/v1/heavy', summary: 'Reads a lot', access: 'bearer', heavy: true }),
    row({
      id: 'find',
      method: 'GET',
      path: '/v1/find/{id}',
      summary: 'Find',
      access: 'bearer',
      params: Joi.object<{ id: string }>({ id: Id }),
      query: Joi.object({
        limit: Joi.number().integer().min(1).max(200).default(50),
        only: Joi.boolean(),
        q: Joi.string().max(20).custom(asNumber),
      }),
      headers: ['x-thing'],
      status: 200,
      returns: anything,
      run: (_services, { query, params, header, lang }) => ({ query, params, lang, thing: header('x-thing') ?? null }),
    }),
    row({
      id: 'send',
      direct: true,
      method: 'POST',
      path: '/v1/sessions/{sessionId}/messages',
      summary: 'Send',
      access: 'bearer',
      ...ANYBODY,
      scope: 'send',
      params: inDevice,
      body: note,
      check: ({ at }, now) => faultIfPast('at', at, now),
      status: 202,
      returns: Joi.object({ device: Joi.string().required(), body: anything }),
      run: (_services, { device, body }) => ({ device: device._id, body }),
    }),
    row({
      id: 'upload',
      method: 'POST',
      path: '/v1/upload',
      summary: 'Upload',
      access: 'bearer',
      bytes: { types: ['image/*', 'text/csv'], maxBytes: 2_000_000 },
      status: 200,
      returns: anything,
      run: (_services, { body }: { body: Bytes }) => ({ size: body.bytes.length, type: body.type }),
    }),
    row({
      id: 'stream',
      method: 'POST',
      path: '/v1/stream',
      summary: 'A body as it comes',
      access: 'bearer',
      ...ANYBODY,
      bytes: { types: ['*'], maxBytes: 2_000_000, stream: true },
      status: 200,
      returns: anything,
      async run(_services, { body }: { body: Upload }) {
        let size = 0;
        for await (const chunk of body.stream) size += chunk.length;
        return { size };
      },
    }),
    row({
      ...open,
      id: 'wrong',
      path: '/wrong',
      summary: 'Breaks its own promise',
      access: 'none',
      returns: Joi.object({ number: Joi.number().required() }),
    }),
    row({
      ...open,
      id: 'csv',
      path: '/csv',
      summary: 'CSV',
      access: 'none',
      produces: ['text/csv'],
      run: () => new Raw('a,b\n', 'text/csv', 200, { 'x-rows': '1' }),
    }),
  ],
};

const person = (over: Partial<Caller>): Caller => ({
  tenantId: 'T1',
  role: 'admin',
  agentId: 'T1',
  agentName: 'Owner',
  family: null,
  auth: 'otp',
  secondFactor: null,
  key: null,
  expiresAt: null,
  callingCode: '62',
  plan: planOf(plansFrom(null), 'free'),
  ...over,
});

const auth = (over: Partial<AuthContext>): AuthContext => ({
  caller: person({}),
  auth: 'login',
  scopes: ['read', 'send', 'manage'],
  perMinute: null,
  keyCap: 600,
  sendPerMinute: 3,
  limitKey: 'T1',
  ...over,
});

const sampleKey = (id: string, sessionIds: readonly string[] | null) => ({
  id,
  name: id,
  hash: id,
  scopes: ['read', 'send', 'manage'] as const,
  sessionIds,
});

const keyContext = (id: string, over: Partial<AuthContext> = {}): AuthContext =>
  auth({ auth: 'api_key', limitKey: id, perMinute: 5, caller: person({ key: sampleKey(id, null) }), ...over });

const PASSES: Readonly<Record<string, AuthContext>> = {
  owner: auth({}),
  agent: auth({ caller: person({ role: 'agent', agentId: 'A1' }) }),
  key: keyContext('K1'),
  reader: keyContext('K2', { scopes: ['read'] }),
  manager: keyContext('K4', { scopes: ['manage'] }),
  neighbour: auth({ limitKey: 'T2', caller: person({ tenantId: 'T2', agentId: 'T2' }) }),
  restricted: keyContext('K3', { caller: person({ key: sampleKey('K3', ['D1']) }) }),
};

/** Accepts the names above as tokens; `down` simulates an unavailable store, `bug` throws. */
const sampleAuthenticator: Authenticator = {
  bearer(token) {
    if (token === 'down') throw new Error('store is down');
    const found = PASSES[token];
    if (!found) throw refusal('UNAUTHORIZED');
    return found;
  },
  operator(secret) {
    if (secret !== 'secret') throw refusal('UNAUTHORIZED');
    return 'operator';
  },
};

const DEVICES = new Map([
  ['D1', 'T1'],
  ['D2', 'T1'],
  ['D3', 'T2'],
]);

export interface Sample extends AsyncDisposable {
  readonly server: HttpServer;
  /** Parsed log lines. */
  readonly lines: readonly Record<string, unknown>[];
  /** Sets the behavior of endpoints without a handler of their own. */
  inside(what: SampleWorld['inside']): void;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly body: any;
}

/** Starts a server with the sample area on a real socket. */
export async function aServer(over: Partial<ServerOptions> = {}): Promise<Sample> {
  const services: SampleWorld = { inside: () => undefined };
  const lines: Record<string, unknown>[] = [];
  const server = await createServer({
    host: '127.0.0.1',
    port: 0,
    authenticator: sampleAuthenticator,
    limits: new LimitsInMemory(),
    log: pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    clock: systemClock,
    devices: { find: async (tenant, id) => (DEVICES.get(id) === tenant ? ({ _id: id, tenant_id: tenant } as DeviceRow) : null) },
    visibility: NOTHING_TO_HIDE,
    numbers: BY_FORM_ALONE,
    isStoreDown: (cause) => cause instanceof Error && cause.message === 'store is down',
    areas: [bind(sample, services)],
    readiness: {},
    checkAnswers: true,
    ...over,
  });
  await server.start();
  const call = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(server.url + path, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
  };
  return {
    server,
    lines,
    inside(what) {
      services.inside = what;
    },
    get: (path, headers = {}) => call(path, { headers }),
    post: (path, body, headers = {}) =>
      call(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: () => server.stop({ timeoutMs: 0 }),
  };
}

/** Returns the header for a login or key of `sampleAuthenticator`. */
export const as = (name: string): Record<string, string> => ({ authorization: `Bearer ${name}` });
