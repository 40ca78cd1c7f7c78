import { newId } from '../runtime/ids.ts';
import type { AgentRow, Agents } from '../store/agents.ts';
import type { TenantRow, Tenants } from '../store/tenants.ts';
import { expectFree, type PhonePorts, withFreePhone } from './agents/free-phone.ts';
import { CODE_TTL_SECONDS, type CodeBook } from './one-time-codes.ts';
import { factsOf, type NumberFacts, resolveNumber } from './phone-numbers.ts';
import { refusal } from './refusals.ts';

/** What sign-up and login need of the world. */
export interface SignInPorts extends PhonePorts {
  readonly tenants: Tenants;
  readonly agents: Pick<Agents, 'byPhone'>;
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
  await expectFree(ports, digits);
  await ports.sendCode(digits, codeText(await ports.codes.issue(digits, now), lang));
  const tenant = newTenant({ name, digits, facts, locale: chosen ?? facts.locale }, now);
  await withFreePhone(ports, digits, now, async () => {
    if (!(await ports.tenants.create(tenant))) throw refusal('PHONE_IN_USE');
  });
}

/**
 * Sends a login code. A stranger's phone gets a code as well, kept but not sent, so that neither this answer nor the later guesses tell
 * who is a customer. The sending is not waited for, for the same reason.
 */
export async function requestCode(ports: SignInPorts, digits: string, now: number): Promise<void> {
  const [holder, code] = await Promise.all([holderOf(ports, digits), ports.codes.issue(digits, now)]);
  if (holder) ports.sendCode(digits, codeText(code, holder.tenant.profile.locale)).catch(ports.codeNotSent);
}

/** Refuses UNAUTHORIZED, RATE_LIMITED (too many wrong guesses today), FORBIDDEN (suspended). */
export async function verifyCode(ports: SignInPorts, phone: string, code: string, now: number): Promise<Person> {
  const digits = resolveNumber(phone, null);
  const holder = (await ports.codes.redeem(digits, code, now)) ? await holderOf(ports, digits) : null;
  if (!holder) throw refusal('UNAUTHORIZED');
  const { tenant, agent } = holder;
  if (tenant.suspended) throw refusal('FORBIDDEN');
  if (agent) return { tenantId: tenant._id, role: 'agent', agentId: agent._id, agentName: agent.name };
  return { tenantId: tenant._id, role: 'admin', agentId: tenant._id, agentName: tenant.name };
}

interface Holder {
  readonly tenant: TenantRow;
  /** null: the owner. */
  readonly agent: AgentRow | null;
}

/** Who signs in with a phone; null: nobody, or an agent who is not active. */
async function holderOf({ tenants, agents }: SignInPorts, digits: string): Promise<Holder | null> {
  const [owned, agent] = await Promise.all([tenants.byPhone(digits), agents.byPhone(digits)]);
  if (owned) return { tenant: owned, agent: null };
  const tenant = agent?.is_active ? await tenants.find(agent.tenant_id) : null;
  return tenant && { tenant, agent };
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
