import { newId } from '../runtime/ids.ts';
import type { TenantRow, Tenants } from '../store/tenants.ts';
import { CODE_TTL_SECONDS, type CodeBook } from './one-time-codes.ts';
import { factsOf, type NumberFacts, resolveNumber } from './phone-numbers.ts';
import { refusal } from './refusals.ts';

/** What sign-up and login need of the world. */
export interface SignInPorts {
  readonly tenants: Tenants;
  readonly codes: CodeBook;
  /** Resolves when the network has accepted it. Rejects with Refusal UNAVAILABLE (the platform's sender is offline) or NOT_DELIVERED. */
  sendCode(phone: string, text: string): Promise<void>;
  /** A login code that could not be sent: its asker has been answered already. */
  codeNotSent(cause: unknown): void;
}

export interface SignUp {
  readonly name: string;
  readonly phone: string;
  /** Language of the code's text. */
  readonly lang: 'en' | 'id';
  /** The language they asked for, for later messages; undefined: inferred from the number. */
  readonly chosen: 'en' | 'id' | undefined;
}

/** Who proved to hold the phone. */
export interface Person {
  readonly tenantId: string;
  readonly role: 'admin' | 'agent';
  /** The tenant's own id and name for its owner. */
  readonly agentId: string;
  readonly agentName: string;
}

/**
 * Signs a business up (spec.md 4.1). The tenant is stored only once its code is on the way: whatever fails before that leaves nothing, and
 * signing up again starts afresh. Refuses INVALID_NUMBER, PHONE_IN_USE, and as `sendCode` does.
 */
export async function register(ports: SignInPorts, { name, phone, lang, chosen }: SignUp, now: number): Promise<void> {
  const digits = resolveNumber(phone, null);
  const facts = factsOf(digits);
  if (!facts) throw refusal('INVALID_NUMBER', { reason: phone });
  if (await ports.tenants.byPhone(digits)) throw refusal('PHONE_IN_USE');
  await ports.sendCode(digits, codeText(await ports.codes.issue(digits, now), lang));
  const created = await ports.tenants.create(newTenant({ name, digits, facts, locale: chosen ?? facts.locale }, now));
  if (!created) throw refusal('PHONE_IN_USE');
}

/**
 * Sends a login code. A stranger's phone gets a code as well, kept but not sent, so that neither this answer nor the later guesses tell
 * who is a customer. The sending is not waited for, for the same reason.
 */
export async function requestCode(ports: SignInPorts, digits: string, now: number): Promise<void> {
  const [tenant, code] = await Promise.all([ports.tenants.byPhone(digits), ports.codes.issue(digits, now)]);
  if (tenant) ports.sendCode(digits, codeText(code, tenant.profile.locale)).catch(ports.codeNotSent);
}

/** Refuses UNAUTHORIZED, RATE_LIMITED (too many wrong guesses today), FORBIDDEN (suspended). */
export async function verifyCode(ports: SignInPorts, phone: string, code: string, now: number): Promise<Person> {
  const digits = resolveNumber(phone, null);
  const tenant = (await ports.codes.redeem(digits, code, now)) ? await ports.tenants.byPhone(digits) : null;
  if (!tenant) throw refusal('UNAUTHORIZED');
  if (tenant.suspended) throw refusal('FORBIDDEN');
  return { tenantId: tenant._id, role: 'admin', agentId: tenant._id, agentName: tenant.name };
}

interface Founding {
  readonly name: string;
  readonly digits: string;
  readonly facts: NumberFacts;
  readonly locale: 'en' | 'id';
}

function newTenant({ name, digits, facts, locale }: Founding, now: number): TenantRow {
  const { country, timezone, currency } = facts;
  return {
    _id: newId(now),
    name,
    phone: digits,
    plan: 'free',
    suspended: false,
    profile: { business_name: name, country, timezone, locale, industry: null, currency, configured: false },
    settings: {},
    settings_revision: 0,
    created_at: now,
    updated_at: now,
  };
}

const MINUTES = CODE_TTL_SECONDS / 60;

function codeText(code: string, lang: 'en' | 'id'): string {
  return lang === 'id'
    ? `Kode masuk Anda: ${code}. Berlaku ${MINUTES} menit. Jangan berikan kepada siapa pun.`
    : `Your sign-in code: ${code}. It is valid for ${MINUTES} minutes. Share it with nobody.`;
}
