import type { Logger } from 'pino';
import type { Config } from '../../../scripts/wiring/config.ts';
import { type Answer, type Api, aGateway, type Device, type Gateway, PHONE, type Tenant } from '../gateway.ts';
import type { Scope, StoreKind } from '../stores.ts';
import { signed } from './platform.ts';

export const BUYER = '6281234567890';
const SECRET = 'shopify-signing-secret-0001';

export const SHOPIFY_ORDER = {
  id: 5678901234567,
  name: '#1042',
  checkout_id: 371122,
  checkout_token: 'tok',
  cart_token: 'cart',
  phone: `+${BUYER}`,
  customer: { first_name: 'Sari' },
  financial_status: 'pending',
  total_price: '150000.00',
  currency: 'IDR',
  line_items: [{ name: 'Kaos', quantity: 2 }],
};

export const SHOPIFY_CHECKOUT = {
  id: 371122,
  token: 'tok',
  phone: `+${BUYER}`,
  abandoned_checkout_url: 'https://shop.example/c/1',
  currency: 'IDR',
  total_price: '1',
};

export const WOO_ORDER = {
  id: 7,
  number: '7',
  status: 'processing',
  payment_method: 'cod',
  date_paid: null,
  total: '205000',
  currency: 'IDR',
  billing: { first_name: 'Sari', phone: '0812-3456-7890', country: 'ID' },
  line_items: [{ name: 'Sepatu', quantity: 1 }],
};

/** An owner with a device and a connected store. */
export interface Shop {
  readonly gateway: Gateway;
  readonly tenant: Tenant;
  readonly device: Device;
  readonly id: string;
  /** Path of its webhook address. */
  readonly path: string;
  /** Calls the webhook as the platform does, signed with `secret`. */
  call(topic: string, body: unknown, secret?: string): Promise<Answer>;
  change(change: object): Promise<Answer>;
  /** Returns the store integration's record. */
  record(): Promise<Answer['body']>;
  events(): Promise<readonly { topic: string; outcome: string; ref: string | null; detail: string | null }[]>;
  /** Returns the first lines of the messages that a phone shows, oldest first. */
  shown(phone?: string): readonly string[];
  restarted(): Promise<Shop>;
  /** Disconnects this store and connects an unrelated one of the same platform. */
  another(): Promise<Shop>;
}

type Platform = 'platform_a' | 'platform_b';

export async function aShop(
  scope: Scope,
  kind: StoreKind,
  platform: Platform = 'platform_a',
  config: Partial<Config> = {},
  log?: Logger,
): Promise<Shop> {
  const gateway = await aGateway(scope, { kind, config, ...(log && { log }) });
  const tenant = await gateway.signUp();
  const device = await tenant.linked(PHONE);
  await tenant.api('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0 }, send_window: { enabled: false } });
  return connectedOn(gateway, tenant, device, platform);
}

async function connectedOn(gateway: Gateway, tenant: Tenant, device: Device, platform: Platform): Promise<Shop> {
  const order = { platform, name: 'Toko', session_id: device.id, ...(platform === 'platform_a' && { secret: SECRET }) };
  const { integration, secret = SECRET } = (await tenant.api('POST', '/v1/store-integrations', order)).body;
  return shopOn(gateway, tenant, device, { ...integration, platform, ownSecret: secret });
}

interface Connected {
  readonly id: string;
  readonly webhook_url: string;
  readonly platform: Platform;
  readonly ownSecret: string;
}

function shopOn(gateway: Gateway, tenant: Tenant, device: Device, connected: Connected): Shop {
  const { id, webhook_url, platform, ownSecret } = connected;
  const api: Api = gateway.as(tenant.tokens.token);
  const path = new URL(webhook_url).pathname;
  return {
    gateway,
    tenant: { ...tenant, api },
    device,
    id,
    path,
    call(topic, body, secret = ownSecret) {
      const raw = typeof body === 'string' ? body : JSON.stringify({ ...datesOf(platform, gateway.clock.now()), ...(body as object) });
      return gateway.during(gateway.api('POST', path, raw, headersOf(platform, topic, signed(secret, raw))));
    },
    change: (change) => api('PUT', `/v1/store-integrations/${id}`, change),
    record: async () => (await api('GET', '/v1/store-integrations')).body.items.find((one: { id: string }) => one.id === id),
    events: async () => (await api('GET', `/v1/store-integrations/${id}/events`)).body.items,
    shown: (phone = BUYER) =>
      gateway.sandbox
        .phone(phone)
        .messages(50)
        .flatMap(({ content }) => (content.type === 'text' ? [content.body.split('\n')[0] ?? ''] : []))
        .toReversed(),
    async another() {
      await api('DELETE', `/v1/store-integrations/${id}`);
      return connectedOn(gateway, { ...tenant, api }, device, platform);
    },
    restarted: async () => shopOn(await gateway.crash(), tenant, device, connected),
  };
}

function datesOf(platform: Platform, now: number) {
  const at = new Date(now).toISOString();
  return platform === 'platform_a'
    ? { created_at: at, updated_at: at }
    : { date_created_gmt: at.slice(0, 19), date_modified_gmt: at.slice(0, 19) };
}

const headersOf = (platform: Platform, topic: string, signature: string): Readonly<Record<string, string>> =>
  platform === 'platform_a'
    ? { 'x-shopify-hmac-sha256': signature, 'x-shopify-topic': topic, 'x-shopify-shop-domain': 'toko.myshopify.com' }
    : { 'x-wc-webhook-signature': signature, 'x-wc-webhook-topic': topic, 'x-wc-webhook-source': 'https://toko.example/' };
