import { newId } from '../../runtime/ids.ts';
import type { Agents } from '../../store/agents.ts';
import type { PhoneClaims } from '../../store/phone-claims.ts';
import type { Tenants } from '../../store/tenants.ts';
import { refusal } from '../refusals.ts';

/** Where the phones of people who sign in are. */
export interface PhonePorts {
  readonly tenants: Pick<Tenants, 'byPhone'>;
  readonly agents: Pick<Agents, 'byPhone'>;
  readonly phoneClaims: PhoneClaims;
}

/** Far longer than a look and a write take: only a process that died leaves a claim behind. */
const CLAIM_MS = 60_000;

/** Refuses PHONE_IN_USE where an owner or an agent, of whichever tenant, signs in with this phone (digits). */
export async function expectFree({ tenants, agents }: PhonePorts, phone: string): Promise<void> {
  const [owner, agent] = await Promise.all([tenants.byPhone(phone), agents.byPhone(phone)]);
  if (owner || agent) throw refusal('PHONE_IN_USE');
}

/** Lets `take` store somebody under a phone that nobody has, and nobody else can take meanwhile. Refuses PHONE_IN_USE, and as `take` does. */
export async function withFreePhone<T>(ports: PhonePorts, phone: string, now: number, take: () => Promise<T>): Promise<T> {
  const by = newId(now);
  if (!(await ports.phoneClaims.claim(phone, by, now + CLAIM_MS, now))) throw refusal('PHONE_IN_USE');
  try {
    await expectFree(ports, phone);
    return await take();
  } finally {
    await ports.phoneClaims.release(phone, by);
  }
}
