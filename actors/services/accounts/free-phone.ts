import { CLAIM_MS, whileClaimed } from '../../../runtime/claims.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { newId } from '../../../runtime/ids.ts';
import type { PhoneClaims } from '../../../store/accounts/phone-claims.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { Agents } from '../../../store/agents/agents.ts';
import { refusal } from '../../domain/refusals.ts';

export interface PhoneDeps {
  readonly tenants: Pick<Tenants, 'byPhone'>;
  readonly agents: Pick<Agents, 'byPhone'>;
  readonly phoneClaims: PhoneClaims;
  readonly clock: Pick<Clock, 'now' | 'after'>;
}

export async function expectFree({ tenants, agents }: Pick<PhoneDeps, 'tenants' | 'agents'>, phone: string): Promise<void> {
  const [owner, agent] = await Promise.all([tenants.byPhone(phone), agents.byPhone(phone)]);
  if (owner || agent) throw refusal('PHONE_IN_USE');
}

export async function withFreePhone<T>(deps: PhoneDeps, phone: string, now: number, take: () => Promise<T>): Promise<T> {
  const by = newId(now);
  const { phoneClaims, clock } = deps;
  if (!(await phoneClaims.claim(phone, by, now + CLAIM_MS, now))) throw refusal('PHONE_IN_USE');
  const renew = (until: number): Promise<boolean> => phoneClaims.renew(phone, by, until);
  try {
    return await whileClaimed(clock, renew, async () => {
      await expectFree(deps, phone);
      // Renew the claim, because this process may have lost it if it was paused.
      if (!(await renew(clock.now() + CLAIM_MS))) throw refusal('PHONE_IN_USE');
      return take();
    });
  } finally {
    await phoneClaims.release(phone, by);
  }
}
