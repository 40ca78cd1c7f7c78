/**
 * Console logins, which use a cookie instead of a refresh token. Pages receive only a short-lived
 * access token, and only the cookie can renew it. The login's row holds a hash of the cookie's
 * secret.
 */

import { randomBytes } from 'node:crypto';
import { refusal } from '../../actors/domain/refusals.ts';
import type { Person } from '../../actors/services/accounts/sign-in.ts';
import { newId } from '../../runtime/ids.ts';
import type { LoginRow } from '../../store/accounts/logins.ts';
import { asTheyAreNow, endLogin, type LoginDeps, newLogin, type Proof, REFRESH_LIFE_MS } from './logins.ts';
import { expiryOf, fingerprint } from './tokens.ts';

export interface BrowserLogin {
  readonly token: string;
  readonly expires_at: number;
  readonly role: 'admin' | 'agent';
  readonly agent_id: string;
  readonly agent_name: string;
}

const SECRET_BYTES = 32;
const FAMILY = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const FAMILY_CHARS = 26;

/** The cookie never rotates, so lost responses and parallel tabs do no harm. */
export async function openBrowserLogin(
  deps: LoginDeps,
  person: Person,
  proof: Proof,
  now: number,
): Promise<{ readonly cookie: string; readonly login: BrowserLogin }> {
  const family = newId(now);
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const row = newLogin(family, person, proof, { current: null, cookie: fingerprint(secret) }, now);
  await deps.logins.open(row);
  return { cookie: Buffer.from(`${family}${secret}`).toString('base64url'), login: await shown(deps, row, now) };
}

/** Browsers keep a cookie for 400 days at most, so it is stored again each month. */
const COOKIE_AGES_MS = 30 * 86_400_000;

/**
 * `isCookieOld` is true about once a month. If the cookie were set more often, a late response
 * could overwrite a newer cookie.
 */
export async function refreshBrowserLogin(
  deps: LoginDeps,
  cookie: string,
  now: number,
): Promise<{ readonly login: BrowserLogin; readonly isCookieOld: boolean }> {
  const former = await browserLoginOf(deps, cookie, now);
  const known = former && (await asTheyAreNow(deps, former));
  const row = former?.cookie && (await deps.logins.prolong(former._id, former.cookie, now, now + REFRESH_LIFE_MS));
  if (!known || !row) throw refusal('UNAUTHORIZED', { because: 'the login of the cookie has ended', reason: ENDED });
  const agedBy = (at: number): number => Math.floor((at - row.created_at) / COOKIE_AGES_MS);
  return { login: await shown(deps, known, now), isCookieOld: agedBy(former.refreshed_at) !== agedBy(now) };
}

export async function browserLoginOf({ logins }: Pick<LoginDeps, 'logins'>, cookie: string, now: number): Promise<LoginRow | null> {
  const named = partsOf(cookie);
  return named && logins.byCookie(named.family, named.secret, now);
}

export const endBrowserLogin = (deps: LoginDeps, row: LoginRow, now: number): Promise<void> => endLogin(deps, row.tenant_id, row._id, now);

const ENDED = { en: 'you were signed out: sign in again', id: 'Anda sudah keluar: masuk lagi' };

function partsOf(cookie: string): { readonly family: string; readonly secret: string } | null {
  const text = Buffer.from(cookie, 'base64url').toString();
  const family = text.slice(0, FAMILY_CHARS);
  return FAMILY.test(family) ? { family, secret: fingerprint(text.slice(FAMILY_CHARS)) } : null;
}

async function shown({ tokens }: LoginDeps, row: LoginRow, now: number): Promise<BrowserLogin> {
  const { _id: family, tenant_id: tenantId, role, agent_id: agentId, agent_name } = row;
  const token = await tokens.issue({ tenantId, role, agentId, family }, now);
  return { token, expires_at: expiryOf(now), role, agent_id: agentId, agent_name };
}
