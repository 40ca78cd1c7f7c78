import { type TenantRow, type Tenants, tenantsSpec } from '../accounts/tenants.ts';
import { type Devices, deviceSpec } from '../devices/devices.ts';
import { whileUnchanged } from '../patterns/while-unchanged.ts';
import type { Store } from '../port.ts';
import { type StoreLinkRow, type StoreLinks, storeLinksSpec } from './links.ts';

export interface Shop {
  readonly link: StoreLinkRow;
  readonly tenant: TenantRow;
  readonly hasDevice: boolean;
}

export interface Shops {
  find(tenantId: string, linkId: string): Promise<Shop | null>;
}

export interface ShopParts {
  readonly links: Pick<StoreLinks, 'find'>;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly devices: Pick<Devices, 'find'>;
}

const REMEMBERED = 1_000;

export function shopsIn(store: Pick<Store, 'writesTo'>, { links, tenants, devices }: ShopParts): Shops {
  const linkOf = whileUnchanged<StoreLinkRow | null>(store, storeLinksSpec, REMEMBERED);
  const tenantOf = whileUnchanged<TenantRow | null>(store, tenantsSpec, REMEMBERED);
  const isThere = whileUnchanged<boolean>(store, deviceSpec, REMEMBERED);

  const hasDevice = (tenantId: string, { session_id }: StoreLinkRow): Promise<boolean> | false =>
    session_id !== null && isThere(`${tenantId} ${session_id}`, async () => (await devices.find(tenantId, session_id)) !== null);

  return {
    async find(tenantId, linkId) {
      const [link, tenant] = await Promise.all([
        linkOf(`${tenantId} ${linkId}`, () => links.find(tenantId, linkId)),
        tenantOf(tenantId, () => tenants.find(tenantId)),
      ]);
      return link && tenant && { link, tenant, hasDevice: await hasDevice(tenantId, link) };
    },
  };
}
