import { newId } from '../../../runtime/ids.ts';
import type { PhoneClaims } from '../../../store/accounts/phone-claims.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { Agents } from '../../../store/agents/agents.ts';
import { refusal } from '../../domain/refusals.ts';

/** Where the phones of people who sign in are. */
export interface PhoneDeps {
  readonly tenants: Pick<Tenants, 'byPhone'>;
  readonly agents: Pick<Agents, 'byPhone'>;
  readonly phoneClaims: PhoneClaims;
}

/** Far longer than a look and a write take: only a process that died leaves a claim behind. */
const CLAIM_MS = 60_000;

/** Refuses PHONE_IN_USE where an owner or an agent, of whichever tenant, signs in with this phone (digits). */
export async function expectFree({ tenants, agents }: PhoneDeps, phone: string): Promise<void> {
  const [owner, agent] = await Promise.all([tenants.byPhone(phone), agents.byPhone(phone)]);
  if (owner || agent) throw refusal('PHONE_IN_USE');
}

/** Runs `take` to store a person under a free phone, which is reserved meanwhile. Refuses PHONE_IN_USE, and as `take` does. */
export async function withFreePhone<T>(deps: PhoneDeps, phone: string, now: number, take: () => Promise<T>): Promise<T> {
  const by = newId(now);
  if (!(await deps.phoneClaims.claim(phone, by, now + CLAIM_MS, now))) throw refusal('PHONE_IN_USE');
  try {
    await expectFree(deps, phone);
    return await take();
  } finally {
    await deps.phoneClaims.release(phone, by);
  }
}
