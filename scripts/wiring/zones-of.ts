import type { Tenants } from '../../store/accounts/tenants.ts';

/** The IANA time zone of a tenant; UTC if the tenant no longer exists. */
export const zonesOf =
  (tenants: Pick<Tenants, 'find'>) =>
  async (tenantId: string): Promise<string> =>
    (await tenants.find(tenantId))?.profile.timezone ?? 'UTC';
