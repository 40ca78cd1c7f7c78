import { request } from 'node:http';
import { pino } from 'pino';
import { plansFrom } from '../../actors/domain/plans.ts';
import { refusal } from '../../actors/domain/refusals.ts';
import { createOneTimeCodeService } from '../../actors/services/accounts/one-time-codes.ts';
import { NOTHING_TO_HIDE } from '../../actors/services/conversations/visibility.ts';
import { BY_FORM_ALONE } from '../../actors/services/identities/number-reader.ts';
import { me } from '../../http/areas/accounts/me-rows.ts';
import { profile } from '../../http/areas/accounts/profile-rows.ts';
import { settings } from '../../http/areas/accounts/settings-rows.ts';
import { apiKeys } from '../../http/areas/api-keys/rows.ts';
import { audit as auditArea } from '../../http/areas/audit/rows.ts';
import { auth } from '../../http/areas/auth/rows.ts';
import { tenants } from '../../http/areas/operator/tenant-rows.ts';
import { createAuthenticator } from '../../http/auth/authenticator.ts';
import { createTokens } from '../../http/auth/tokens.ts';
import { bind } from '../../http/core/bind.ts';
import { LimitsInMemory } from '../../http/limits/limits.ts';
import { createServer } from '../../http/server/server.ts';
import { VirtualClock } from '../../runtime/testing/virtual-clock.ts';
import { openAudit } from '../../scripts/wiring/audit.ts';
import { apiKeysIn } from '../../store/accounts/api-keys.ts';
import { loginsIn } from '../../store/accounts/logins.ts';
import { oneTimeCodesIn } from '../../store/accounts/one-time-codes.ts';
import { operatorSessionsIn } from '../../store/accounts/operator-sessions.ts';
import { passkeysIn } from '../../store/accounts/passkeys.ts';
import { phoneClaimsIn } from '../../store/accounts/phone-claims.ts';
import { secondFactorsIn } from '../../store/accounts/second-factors.ts';
import { signUpsIn } from '../../store/accounts/sign-ups.ts';
import { tenantsIn } from '../../store/accounts/tenants.ts';
import { agentsIn } from '../../store/agents/agents.ts';
import { devicesIn } from '../../store/devices/devices.ts';
import type { Store } from '../../store/port.ts';
import { deletionsIn } from '../../store/privacy/deletions.ts';

export const ADMIN_SECRET = 'the-operator-knows';
export const JWT_SECRET = 'signed-by-the-house';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a server answers has no type before it is asserted on
  readonly body: any;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface Asking {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Loopback address from which to call. */
  readonly from?: string;
}

/**
 * Starts the accounts part of a gateway over real sockets, on a given store, with a virtual clock and a sender that
 * tests can break.
 */
export async function openFixture(opened: Store) {
  const { store, audit, auditLog } = openAudit(opened, Buffer.alloc(32, 7), { warn: () => {} });
  const clock = new VirtualClock();
  const sender = new Sender();
  const told: string[] = [];
  const oneTimeCodes = oneTimeCodesIn(store);
  const services = {
    oneTimeCodes,
    secondFactors: secondFactorsIn(store),
    passkeys: passkeysIn(store),
    operatorSessions: operatorSessionsIn(store),
    tenants: tenantsIn(store),
    agents: agentsIn(store),
    deletions: deletionsIn(store),
    phoneClaims: phoneClaimsIn(store),
    clock,
    signUps: signUpsIn(store),
    logins: loginsIn(store),
    keys: apiKeysIn(store),
    devices: devicesIn(store),
    codes: createOneTimeCodeService(oneTimeCodes, JWT_SECRET, clock),
    tokens: createTokens(JWT_SECRET),
    plans: plansFrom(undefined),
    limits: new LimitsInMemory(),
    via: 'sandbox' as const,
    audit,
    auditLog,
    sendCode: (phone: string, text: string) => sender.send(phone, text),
    codeNotSent: () => void told.push('code not sent'),
    onSettingsChanged: (tenantId: string) => void told.push(`settings of ${tenantId}`),
    suspensionChanged: async () => {},
    givePlan: (tenantId: string, plan: string) => services.tenants.setPlan(tenantId, plan, clock.now(), clock.now()),
    invalidate: (tenantId: string) => authenticator.invalidate(tenantId),
  };
  const authenticator = createAuthenticator({ ...services, adminSecret: ADMIN_SECRET, report: () => told.push('report') });
  const server = await createServer({
    host: '127.0.0.1',
    port: 0,
    areas: [
      bind(auth, services),
      bind(me, services),
      bind(auditArea, services),
      bind(apiKeys, services),
      bind(profile, services),
      bind(settings, services),
      bind(tenants, services),
    ],
    authenticator,
    limits: services.limits,
    devices: services.devices,
    visibility: NOTHING_TO_HIDE,
    numbers: BY_FORM_ALONE,
    clock,
    log: pino({ level: 'fatal' }),
    isStoreDown: () => false,
    audit,
    readiness: {},
    checkAnswers: true,
  });
  await store.prepare();
  await server.start();
  const call = (method: string, path: string, asking: Asking = {}): Promise<Answer> => ask(server.url, method, path, asking);

  /** Signs up with the code that arrives. Returns the login. */
  async function signUp(name = 'Kopi Senja', phone = '+6281234567890'): Promise<Login> {
    const registered = await call('POST', '/auth/register', { body: { name, phone } });
    if (registered.status !== 200) throw new Error(`sign-up: ${JSON.stringify(registered.body)}`);
    return enter(phone);
  }

  async function enter(phone: string): Promise<Login> {
    return (await call('POST', '/auth/verify-otp', { body: { phone, code: sender.codeOf(phone) } })).body;
  }

  const close = (): Promise<void> => server.stop({ timeoutMs: 1_000 });
  return { clock, sender, told, services, authenticator, call, signUp, enter, close, url: server.url };
}

export type Fixture = Awaited<ReturnType<typeof openFixture>>;

export interface Login {
  readonly token: string;
  readonly refresh_token: string;
  readonly role: string;
  readonly agent_id: string;
  readonly agent_name: string;
}

/** Stands in for the platform's own device when it sends codes. */
class Sender {
  state: 'online' | 'offline' | 'refused' = 'online';
  /** Sends complete only after this promise. */
  ready: Promise<void> = Promise.resolve();
  readonly texts: { readonly phone: string; readonly text: string }[] = [];

  async send(phone: string, text: string): Promise<void> {
    if (this.state === 'offline') throw refusal('UNAVAILABLE');
    if (this.state === 'refused') throw refusal('NOT_DELIVERED');
    this.texts.push({ phone, text });
    await this.ready;
  }

  codeOf(phone: string): string {
    const digits = phone.replace(/\D/g, '');
    const last = this.texts.findLast((sent) => sent.phone === digits);
    return /\d{6}/.exec(last?.text ?? '')?.[0] ?? 'none';
  }

  wrongCodeOf(phone: string): string {
    return this.codeOf(phone) === '000000' ? '111111' : '000000';
  }
}

function ask(url: string, method: string, path: string, { token, body, headers, from }: Asking): Promise<Answer> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${url}${path}`,
      {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(payload !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(from !== undefined && { localAddress: from }),
      },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => (text += chunk));
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(text), headers: incoming.headers }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}
