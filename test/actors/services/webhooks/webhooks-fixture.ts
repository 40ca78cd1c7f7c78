import type { Logger } from 'pino';
import type { Network } from '../../../../actors/network/port.ts';
import type { Sandbox } from '../../../../actors/network/sandbox/sandbox.ts';
import type { Config } from '../../../../scripts/wiring/config.ts';
import { type Api, aGateway, type Device, type Gateway, PHONE, type Tenant } from '../../../support/gateway.ts';
import type { Scope, StoreKind } from '../../../support/stores.ts';
import { aReceiver, type Receiver, SECRET } from './receiver.ts';

/** A tenant with an online device without pacing, and a receiver that the gateway may reach. */
export interface Fixture {
  readonly gateway: Gateway;
  readonly acme: Tenant;
  readonly api: Api;
  readonly device: Device;
  readonly receiver: Receiver;
  /** Has these events delivered to `url`; gives the webhook's id. */
  subscribe(events: readonly string[], url?: string): Promise<string>;
  /** Writes to the device, as Anna would. */
  write(from: string, body: string): void;
  /** The newest delivery to a webhook, as the API shows it. */
  // biome-ignore lint/suspicious/noExplicitAny: the server checks answers against their schemas
  delivery(webhookId: string): Promise<any>;
}

export async function aWebhookFixture(
  scope: Scope,
  kind: StoreKind,
  config: Partial<Config> = {},
  over: (network: Network) => Network = (network) => network,
  log?: Logger,
): Promise<Fixture> {
  const receiver = await aReceiver(scope);
  const { egress_allow = [], ...rest } = config;
  const network = (sandbox: Sandbox): Network => over(sandbox.network());
  const reachable = { ...rest, egress_allow: [receiver.place, ...egress_allow] };
  const gateway = await aGateway(scope, { kind, network, config: reachable, ...(log && { log }) });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  await acme.api('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
  return fixtureOf(gateway, acme, device, receiver);
}

/** The same office after its gateway was restarted. */
export function fixtureOf(gateway: Gateway, acme: Tenant, device: Device, receiver: Receiver): Fixture {
  const api = gateway.as(acme.tokens.token);
  return {
    gateway,
    acme,
    api,
    device,
    receiver,
    async subscribe(events, url = receiver.url) {
      const { status, body } = await api('POST', '/v1/webhooks', { url, secret: SECRET, events });
      if (status !== 201) throw new Error(`not accepted: ${status} ${JSON.stringify(body)}`);
      return body.id;
    },
    write: (from, body) => gateway.sandbox.phone(from).write({ to: PHONE, content: { type: 'text', body } }),
    delivery: async (webhookId) => (await api('GET', `/v1/webhooks/deliveries?webhook_id=${webhookId}&limit=1`)).body.deliveries[0],
  };
}
