import type { Tenants } from '../../store/accounts/tenants.ts';

/** Tells the IANA zone of a tenant; of one that is gone it does not matter. */
export const zonesOf =
  (tenants: Pick<Tenants, 'find'>) =>
  async (tenantId: string): Promise<string> =>
    (await tenants.find(tenantId))?.profile.timezone ?? 'UTC';
