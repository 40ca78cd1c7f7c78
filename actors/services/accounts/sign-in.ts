import { newId } from '../../../runtime/ids.ts';
import { normalized, safeText } from '../../../runtime/safe-text.ts';
import type { Logins } from '../../../store/accounts/logins.ts';
import type { Passkeys } from '../../../store/accounts/passkeys.ts';
import type { SecondFactors } from '../../../store/accounts/second-factors.ts';
import type { SignUps } from '../../../store/accounts/sign-ups.ts';
import type { TenantRow, Tenants } from '../../../store/accounts/tenants.ts';
import type { AgentRow, Agents } from '../../../store/agents/agents.ts';
import type { AuditLog } from '../../../store/audit/audit-log.ts';
import { digitsByForm } from '../../domain/numbers/read-number.ts';
import { factsOf, type NumberFacts } from '../../domain/phone-numbers.ts';
import { refusal } from '../../domain/refusals.ts';
import { DEFAULT_SETTINGS } from '../../domain/settings.ts';
import { expectFree, type PhoneDeps, withFreePhone } from './free-phone.ts';
import { CODE_TTL_SECONDS, type OneTimeCodeService } from './one-time-codes.ts';

/**
 * Sign-up and login with a code sent to the phone. Invariant: a phone signs in at most one owner or
 * agent, and is unclaimed until its first code is entered. Until then, the sign-up is pending in
 * store/accounts/sign-ups.ts. A request for a code does not reveal who is a customer.
 */

export interface SignInDeps extends PhoneDeps {
  readonly tenants: Tenants;
  readonly agents: Pick<Agents, 'byPhone' | 'invited' | 'verify'>;
  readonly signUps: SignUps;
  readonly auditLog: Pick<AuditLog, 'begin'>;
  readonly passkeys: Passkeys;
  readonly secondFactors: SecondFactors;
  readonly logins: Pick<Logins, 'endOf'>;
  readonly codes: OneTimeCodeService;
  sendCode(phone: string, text: string): Promise<void>;
  codeNotSent(cause: unknown): void;
}

export interface SignUp {
  readonly name: string;
  readonly phone: string;
  readonly lang: 'en' | 'id' | null;
  admit(phone: string): Promise<void>;
}

export interface Person {
  readonly tenantId: string;
  readonly role: 'admin' | 'agent';
  readonly agentId: string;
  readonly agentName: string;
}

/** Stores a sign-up until its code is entered. Replaces an earlier unconfirmed sign-up. */
export async function register(deps: SignInDeps, { name, phone, lang, admit }: SignUp, now: number): Promise<void> {
  const digits = digitsByForm(phone, null);
  const facts = factsOf(digits);
  if (!facts) throw refusal('INVALID_NUMBER', { reason: phone });
  await expectFree(deps, digits);
  // Check the limit first, because issuing a code invalidates the previous one.
  await admit(digits);
  const issued = await deps.codes.issue(digits, SIGN_UP, now);
  if (!issued) throw refusal('CONFLICT', { reason: CODE_ON_ITS_WAY });
  const locale = lang ?? facts.locale;
  // Store the sign-up before sending the code, because the code may be entered immediately.
  await deps.signUps.put(newTenant({ name, digits, facts, locale }, now), now + SIGN_UP_MS);
  await deps.sendCode(digits, codeText(issued.code, locale)).finally(issued.sent);
}

const SIGN_UP_MS = 86_400_000;

/** For an unknown phone, a code is stored but not sent, so that the response reveals nothing. */
export async function requestCode(deps: SignInDeps, digits: string, now: number): Promise<void> {
  const [holder] = await holdersOf(deps, digits);
  const issued = await deps.codes.issue(digits, holder ? purposeOf(holder) : SIGN_IN, now);
  if (!issued) return;
  const sending = holder ? deps.sendCode(digits, textFor(holder, issued.code)) : Promise.resolve();
  sending.catch(deps.codeNotSent).finally(issued.sent).catch(deps.codeNotSent);
}

export async function verifyCode(deps: SignInDeps, phone: string, code: string, now: number): Promise<Person> {
  const digits = digitsByForm(phone, null);
  const holders = await holdersOf(deps, digits);
  const purpose = await deps.codes.redeem(digits, code, [SIGN_IN, ...holders.map(purposeOf)], now);
  const holder = holders.find((one) => purposeOf(one) === purpose);
  if (!holder) throw refusal('UNAUTHORIZED', { reason: WRONG_CODE });
  if (holder.tenant.suspended) throw refusal('FORBIDDEN');
  if (holder.is !== 'known') await settle(deps, holder, now);
  return personOf(holder);
}

const personOf = ({ tenant, agent }: PhoneHolder): Person =>
  agent
    ? { tenantId: tenant._id, role: 'agent', agentId: agent._id, agentName: agent.name }
    : { tenantId: tenant._id, role: 'admin', agentId: tenant._id, agentName: tenant.name };

export async function holderOf(deps: Pick<SignInDeps, 'tenants' | 'agents' | 'signUps'>, phone: string): Promise<Person | null> {
  const [holder] = await holdersOf(deps, digitsByForm(phone, null));
  return holder?.is === 'known' ? personOf(holder) : null;
}

type PresenceDeps = { readonly tenants: Pick<Tenants, 'find'>; readonly agents: Pick<Agents, 'find'> };
type Whom = Pick<Person, 'tenantId' | 'role' | 'agentId'>;

export async function findActiveAgent(agents: Pick<Agents, 'find'>, tenantId: string, agentId: string): Promise<AgentRow | null> {
  const agent = await agents.find(tenantId, agentId);
  return agent?.is_active && agent.is_verified ? agent : null;
}

export async function findPerson({ tenants, agents }: PresenceDeps, { tenantId, role, agentId }: Whom): Promise<Person | null> {
  const found = role === 'admin' ? await tenants.find(tenantId) : await findActiveAgent(agents, tenantId, agentId);
  return found && { tenantId, role, agentId, agentName: found.name };
}

export async function expectPerson({ tenants, agents }: PresenceDeps, { tenantId, role, agentId }: Whom): Promise<Person> {
  const [tenant, agent] = await Promise.all([tenants.find(tenantId), role === 'admin' ? null : findActiveAgent(agents, tenantId, agentId)]);
  if (tenant?.suspended) throw refusal('FORBIDDEN');
  const found = role === 'admin' ? tenant : agent;
  if (!tenant || !found) throw refusal('UNAUTHORIZED');
  return { tenantId, role, agentId, agentName: found.name };
}

/** Fails with PHONE_IN_USE if the phone is taken, or UNAUTHORIZED if the invitation was withdrawn. */
async function settle(deps: SignInDeps, { is, tenant, agent }: PhoneHolder, now: number): Promise<void> {
  await withFreePhone(deps, agent?.phone ?? tenant.phone, now, async () => {
    if (is === 'signing up') {
      await deps.auditLog.begin(tenant._id);
      if (!(await deps.tenants.create(tenant))) throw refusal('PHONE_IN_USE');
    }
    if (agent) await forgetFormer(deps, agent, now);
    const verified = agent && (await deps.agents.verify(agent, now));
    if (verified === 'taken') throw refusal('PHONE_IN_USE');
    if (agent !== null && verified === null) throw refusal('UNAUTHORIZED');
  });
  if (is === 'signing up') await deps.signUps.remove(tenant.phone);
}

/** Removes the former holder's ways to sign in or to lock out the next holder of the phone. */
async function forgetFormer(
  { passkeys, secondFactors, logins }: SignInDeps,
  { tenant_id, _id, left_at }: AgentRow,
  now: number,
): Promise<void> {
  await passkeys.removeOf(tenant_id, _id);
  await secondFactors.disable(_id);
  await logins.endOf(tenant_id, _id, left_at, now);
}

const CODE_ON_ITS_WAY = {
  en: 'A code is on its way to this number. Try again in a minute.',
  id: 'Kode sedang dikirim ke nomor ini. Coba lagi dalam satu menit.',
};
const WRONG_CODE = { en: 'the code is wrong or has expired', id: 'kode salah atau sudah kedaluwarsa' };

interface PhoneHolder {
  readonly is: 'known' | 'signing up' | 'invited';
  readonly tenant: TenantRow;
  readonly agent: AgentRow | null;
}

/** Returns a code's purpose. An invitation's code is valid for one business only. */
const purposeOf = ({ is, tenant }: PhoneHolder): string => (is === 'invited' ? tenant._id : is === 'known' ? SIGN_IN : SIGN_UP);

const SIGN_IN = 'sign-in';
const SIGN_UP = 'sign-up';

/** Returns the people whom a phone may sign in. The first one gets the code. */
async function holdersOf(
  { tenants, agents, signUps }: Pick<SignInDeps, 'tenants' | 'agents' | 'signUps'>,
  digits: string,
): Promise<readonly PhoneHolder[]> {
  const [owned, agent] = await Promise.all([tenants.byPhone(digits), agents.byPhone(digits)]);
  if (owned) return [{ is: 'known', tenant: owned, agent: null }];
  if (agent) return asAgent({ tenants }, agent, 'known');
  const [[newest], founding] = await Promise.all([agents.invited(digits, 1), signUps.find(digits)]);
  const invited = newest ? await asAgent({ tenants }, newest, 'invited') : [];
  return founding ? [...invited, { is: 'signing up', tenant: founding, agent: null }] : invited;
}

async function asAgent({ tenants }: Pick<SignInDeps, 'tenants'>, agent: AgentRow, is: PhoneHolder['is']): Promise<readonly PhoneHolder[]> {
  const tenant = agent.is_active ? await tenants.find(agent.tenant_id) : null;
  return tenant ? [{ is, tenant, agent }] : [];
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
    // Tenants of earlier releases keep the business's own time zone.
    settings: { send_window: { ...DEFAULT_SETTINGS.send_window, zone: 'recipient' } },
    settings_revision: 0,
    created_at: now,
    updated_at: now,
    health: { at: now, rank: 0, signs: [] },
    health_due_at: now,
  };
}

/** An invitation names the business, because a person who enters its code joins that business. */
function textFor({ is, tenant }: PhoneHolder, code: string): string {
  const { locale } = tenant.profile;
  const name = nameForStrangers(tenant.name);
  const invitation =
    locale === 'id'
      ? `${name ?? 'Sebuah bisnis'} mengundang Anda sebagai agen.`
      : `${name ?? 'A business'} has invited you to join as an agent.`;
  return is === 'invited' ? `${invitation} ${codeText(code, locale)}` : codeText(code, locale);
}

/** Returns the name to show to strangers; null if it has a link, because the platform is the sender. */
function nameForStrangers(name: string): string | null {
  const line = normalized(safeText(name), 'NFKC')
    .replace(/[\p{Cc}\p{Cf}\p{Z}]+/gu, ' ')
    .trim();
  return LINK.test(line) ? null : line;
}

const LINK = /:\/\/|[\p{L}\p{N}-][.。]\p{L}{2}/u;

const MINUTES = CODE_TTL_SECONDS / 60;

function codeText(code: string, lang: 'en' | 'id'): string {
  return lang === 'id'
    ? `Kode masuk Anda: ${code}. Berlaku ${MINUTES} menit. Jangan berikan kepada siapa pun.`
    : `Your sign-in code: ${code}. It is valid for ${MINUTES} minutes. Do not share it with anyone.`;
}
