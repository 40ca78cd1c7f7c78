import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import Joi from 'joi';
import type { Fault } from '../../../actors/domain/refusals.ts';
import type { AuditTrail } from '../../../actors/services/audit/audit-trail.ts';
import type { LoginRow } from '../../../store/accounts/logins.ts';
import { type BrowserLogin, browserLoginOf, endBrowserLogin, openBrowserLogin, refreshBrowserLogin } from '../../auth/browser-logins.ts';
import type { LoginDeps } from '../../auth/logins.ts';
import { networkOf } from '../../core/caller-address.ts';
import { type Area, type OpenCall, Raw, rowsFor } from '../../core/row.ts';
import { Done, Timestamp } from '../../core/schemas.ts';
import { type Limits, takeOrRefuse } from '../../limits/limits.ts';
import { Assertion } from '../auth/passkey-schemas.ts';
import { signInDraft, type TwoFactorRequired, TwoFactorRequiredSchema } from '../auth/sign-in-answers.ts';
import {
  type CodeSignInDeps,
  type FactorSignInDeps,
  OPENS_LOGIN,
  type PasskeySignInDeps,
  signInByCode,
  signInByFactor,
  signInByPasskey,
} from '../auth/sign-ins.ts';

export interface ConsoleSessionServices extends LoginDeps, CodeSignInDeps, FactorSignInDeps, PasskeySignInDeps {
  readonly agents: LoginDeps['agents'] & CodeSignInDeps['agents'] & PasskeySignInDeps['agents'];
  readonly tenants: LoginDeps['tenants'] & CodeSignInDeps['tenants'] & PasskeySignInDeps['tenants'];
  readonly oneTimeCodes: FactorSignInDeps['oneTimeCodes'];
  readonly audit: AuditTrail;
  readonly limits: Limits;
}

interface SigningIn {
  readonly phone?: string;
  readonly code?: string;
  readonly challenge?: string;
  readonly credential?: AuthenticationResponseJSON;
}

type Calling<Body> = OpenCall<unknown, unknown, Body>;
type Opened = Awaited<ReturnType<typeof openBrowserLogin>>;

const COOKIE = '__Host-gateway';
const KEPT = 'Path=/; Secure; HttpOnly; SameSite=Strict';
/** Cookie lifetime, set to the maximum that browsers allow. The server decides when a login expires. */
const KEPT_SECONDS = 400 * 86_400;
const MINUTE_MS = 60_000;
/** The limit is high, because every tab refreshes once when it opens. */
const REFRESHES_PER_MINUTE = 600;
const ENDED_PER_MINUTE = 60;
/**
 * The limit is high, because all browsers of an office share one address and each refreshes a few
 * times an hour.
 */
const CALLS_OF_AN_ADDRESS_PER_MINUTE = 1_200;

const BrowserLoginSchema = Joi.object<BrowserLogin>({
  token: Joi.string().required().description('JWT, valid until `expires_at`'),
  expires_at: Timestamp.required(),
  role: Joi.string().valid('admin', 'agent').required(),
  agent_id: Joi.string().required(),
  agent_name: Joi.string().allow('').required(),
}).meta({ title: 'BrowserLogin' });

const common = { access: 'none', path: '/console/session', sameOrigin: true, cookie: COOKIE, status: 200 } as const;
const OF_COOKIE = 'The refresh token is never shown; it stays in a cookie that no page can read';

const row = rowsFor<ConsoleSessionServices>();

export const consoleSession: Area<ConsoleSessionServices> = {
  name: 'console-session',
  about: 'Sign-in of the browser console: the access token for its page, and a cookie that renews it',
  rows: [
    row({
      ...common,
      id: 'openConsoleSession',
      method: 'POST',
      summary: 'Sign a browser in',
      about: `Sign in with the body of \`/auth/verify-otp\`, \`/auth/2fa/verify\` or \`/auth/passkey\`. ${OF_COOKIE}. Only for the pages of this gateway`,
      example: { phone: '+62 812-3456-7890', code: '204816' },
      audit: { action: 'login.create', own: true },
      ...OPENS_LOGIN,
      body: Joi.object<SigningIn>({
        phone: Joi.string()
          .min(8)
          .max(20)
          .pattern(/^[+\d][\d\s\-()]{7,18}\d$/)
          .description('The phone that received the one-time `code`'),
        code: Joi.string()
          .min(6)
          .max(40)
          .description('A one-time code, or for a `challenge` a code from the authenticator app or a recovery code'),
        challenge: Joi.string().min(20).max(128).description('The challenge from the response that asked for the second factor'),
        credential: Assertion.description('A passkey, alone or for a `challenge`'),
      }).oxor('phone', 'challenge'),
      check: signingInFaults,
      returns: Joi.alternatives(BrowserLoginSchema, TwoFactorRequiredSchema),
      refuses: ['INVALID_NUMBER', 'UNAUTHORIZED', 'FORBIDDEN', 'CONFLICT', 'RATE_LIMITED'],
      run: signIn,
    }),
    row({
      ...common,
      id: 'closeConsoleSession',
      method: 'DELETE',
      summary: 'Sign a browser out',
      about: 'End the login of the cookie, if the browser has one. Only for the pages of this gateway',
      audit: { action: 'login.end', own: true },
      returns: Done,
      refuses: ['FORBIDDEN'],
      run: signOut,
    }),
    row({
      ...common,
      id: 'refreshConsoleSession',
      method: 'POST',
      path: '/console/session/refresh',
      summary: "Renew a browser's token",
      about:
        'Get a new token. Can be called any number of times, even in parallel; the cookie does not change. Only for the pages of this gateway',
      also: { 204: 'The browser has no cookie' },
      audit: { none: 'the same login goes on' },
      returns: BrowserLoginSchema,
      refuses: ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED'],
      run: refresh,
    }),
  ],
};

function signingInFaults({ phone, code, challenge, credential }: SigningIn): readonly Fault[] {
  const fault = (path: string, en: string, id: string): Fault => ({ path, en, id });
  if (code !== undefined && credential !== undefined)
    return [fault('credential', 'send `code` or `credential`, not both', 'kirim `code` atau `credential`, bukan keduanya')];
  if (credential !== undefined)
    return phone === undefined ? [] : [fault('phone', 'a passkey signs in without `phone`', 'passkey masuk tanpa `phone`')];
  if (code === undefined) return [fault('code', '`code` or `credential` is required', '`code` atau `credential` wajib diisi')];
  if (phone === undefined && challenge === undefined)
    return [fault('phone', '`phone` or `challenge` is required with `code`', '`phone` atau `challenge` wajib diisi bersama `code`')];
  return phone !== undefined && code.length !== 6
    ? [fault('code', '`code` has exactly 6 characters', '`code` terdiri atas tepat 6 karakter')]
    : [];
}

async function signIn(services: ConsoleSessionServices, call: Calling<SigningIn>): Promise<Raw> {
  const opened = await proven(services, call);
  if (!('cookie' in opened)) return json(opened);
  await endFormer(services, call);
  return json(opened.login, keptBy(opened.cookie));
}

function proven(services: ConsoleSessionServices, call: Calling<SigningIn>): Promise<Opened | TwoFactorRequired> {
  const { phone = '', code = '', challenge, credential } = call.body;
  const open = (...by: Proven): Promise<Opened> => openBrowserLogin(services, ...by);
  const factor = { ...(credential ? { credential } : { code }) };
  if (challenge !== undefined) return signInByFactor(services, { ...call, body: { challenge, ...factor } }, open);
  if (credential) return signInByPasskey(services, { ...call, body: { credential } }, open);
  return signInByCode(services, { ...call, body: { phone, code } }, open);
}

type Proven = [Parameters<typeof openBrowserLogin>[1], Parameters<typeof openBrowserLogin>[2], number];

async function refresh(services: ConsoleSessionServices, { cookie, address, now }: Calling<unknown>): Promise<Raw> {
  if (!cookie) return new Raw('', 'text/plain', 204, UNKEPT);
  await takeOfAddress(services, address, now);
  await take(services, `console-refreshes:${cookie.slice(0, 40)}`, REFRESHES_PER_MINUTE, now);
  try {
    const { login, isCookieOld } = await refreshBrowserLogin(services, cookie, now);
    return json(login, isCookieOld ? keptBy(cookie) : {});
  } catch (cause) {
    // Limits guessed cookies. They cannot succeed, but each one costs a read from the store.
    await take(services, `console-refreshes-refused:${networkOf(address)}`, ENDED_PER_MINUTE, now);
    throw cause;
  }
}

async function signOut(services: ConsoleSessionServices, call: Calling<unknown>): Promise<Raw> {
  if (call.cookie) await takeOfAddress(services, call.address, call.now);
  await endFormer(services, call);
  return json({ ok: true }, { 'set-cookie': `${COOKIE}=; ${KEPT}; Max-Age=0` });
}

/** Ends the login of a replaced or removed cookie, because pages can no longer use it. */
async function endFormer(services: ConsoleSessionServices, call: Calling<unknown>): Promise<void> {
  const row = call.cookie ? await browserLoginOf(services, call.cookie, call.now) : null;
  if (!row) return;
  await services.audit.act(endDraft(row, call), { collection: 'logins' }, () => endBrowserLogin(services, row, call.now));
  if (row.role === 'agent') await services.agents.away(row.tenant_id, row.agent_id, call.now);
}

function endDraft(row: LoginRow, call: Calling<unknown>): ReturnType<typeof signInDraft> {
  const { _id: id, tenant_id: tenantId, role, agent_id: agentId, agent_name: agentName, auth = 'otp' } = row;
  const draft = signInDraft({ tenantId, role, agentId, agentName }, call, auth);
  return { ...draft, action: 'login.end', target: { kind: 'login', id } };
}

const keptBy = (cookie: string) => ({ 'set-cookie': `${COOKIE}=${cookie}; ${KEPT}; Max-Age=${KEPT_SECONDS}` });

const UNKEPT = { 'cache-control': 'no-store' };

const json = (body: object, headers: Readonly<Record<string, string>> = {}): Raw =>
  new Raw(JSON.stringify(body), 'application/json', undefined, { ...UNKEPT, ...headers });

/** Limits calls before reading the store, because a caller can invent a cookie for each call. */
const takeOfAddress = (services: ConsoleSessionServices, address: string, now: number): Promise<void> =>
  take(services, `console-calls:${networkOf(address)}`, CALLS_OF_AN_ADDRESS_PER_MINUTE, now);

const take = ({ limits }: ConsoleSessionServices, key: string, max: number, now: number): Promise<void> =>
  takeOrRefuse(limits, { key, max, windowMs: MINUTE_MS }, now);
