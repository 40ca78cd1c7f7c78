import type { Logger } from 'pino';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import type { Config } from '../../../../scripts/wiring/config.ts';
import { ANNA, type Api, aGateway, type Device, type Gateway, PHONE, type Tenant } from '../../../support/gateway.ts';
import type { Scope, StoreKind } from '../../../support/stores.ts';
import { type Listener, listen } from './listener.ts';

/** A tenant with a device, and as many ears as a story needs. */
export interface LiveFixture {
  readonly gateway: Gateway;
  readonly tenant: Tenant;
  readonly device: Device;
  /** Listens with these credentials; default: the owner's. */
  listen(api?: Api, events?: readonly string[]): Promise<Listener>;
  /** A customer writes to a number of the tenant; default: its device. */
  write(body: string, from?: string, to?: string): void;
  /** A new API key. */
  key(fields?: object): Promise<{ readonly id: string; readonly key: string; readonly api: Api }>;
}

const PLENTY = { devices: 10, messages: 1_000, send_per_minute: 1_000, key_cap: 10_000 };

export async function aLiveFixture(scope: Scope, kind: StoreKind, config: Partial<Config> = {}, log?: Logger): Promise<LiveFixture> {
  const plans = plansFrom({ free: PLENTY });
  const gateway = await aGateway(scope, { kind, config: { plans, ...config }, ...(log && { log }) });
  const tenant = await gateway.signUp();
  const device = await tenant.linked(PHONE);
  return {
    gateway,
    tenant,
    device,
    listen: (api = tenant.api, events) => listen(gateway.node.url, api, events),
    write: (body, from = ANNA, to = PHONE) => gateway.sandbox.phone(from).write({ to, content: { type: 'text', body } }),
    async key(fields = {}) {
      const { body } = await tenant.api('POST', '/v1/api-keys', { name: 'ear', ...fields });
      return { id: body.id, key: body.key, api: gateway.as(body.key) };
    },
  };
}
