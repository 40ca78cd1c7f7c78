import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../../../scripts/wiring/config.ts';
import { type Api, aGateway, type Device, type Gateway, PHONE, type Tenant } from '../../../support/gateway.ts';
import type { Scope, StoreKind } from '../../../support/stores.ts';
import { peopleOf } from '../consent/consent-fixture.ts';

export const SARI = '6281211110001';
export const TONO = '6281211110002';

/** What the shop knows. */
export const ANSWERS = {
  hours: ['Jam berapa toko buka?', 'Kami buka Senin sampai Sabtu pukul 09.00–20.00 WIB.'],
  shipping: ['Berapa ongkos kirim ke luar kota?', 'Ongkos kirim dalam Pulau Jawa Rp 15.000, luar Jawa Rp 35.000.'],
  returns: ['Bagaimana cara menukar barang?', 'Barang bisa ditukar dalam 7 hari selama label terpasang.'],
  abroad: ['Do you ship abroad?', 'Yes, we ship to Singapore and Malaysia.'],
} as const;

export interface AiShop extends ReturnType<typeof peopleOf> {
  readonly gateway: Gateway;
  readonly tenant: Tenant;
  readonly api: Api;
  readonly device: Device;
  /** Time passes, in real steps too, until `check` gives something truthy. */
  eventually<T>(what: string, check: () => Promise<T> | T): Promise<NonNullable<T>>;
  /** Long enough for anything that was to happen. */
  settled(): Promise<void>;
  restarted(): Promise<AiShop>;
}

/** A shop with a device that answers from four saved answers, ready to be asked. */
export async function anAiShop(scope: Scope, kind: StoreKind, config: Partial<Config> = {}, settings: object = {}): Promise<AiShop> {
  const gateway = await aGateway(scope, { kind, config });
  const tenant = await gateway.signUp('Toko Sari');
  const device = await tenant.linked(PHONE);
  await tenant.api('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
  for (const [question, answer] of Object.values(ANSWERS)) await tenant.api('POST', '/v1/ai-reply/answers', { question, answer });
  const { status, body } = await gateway.during(tenant.api('PUT', '/v1/ai-reply', { enabled: true, ...settings }));
  if (status !== 200) throw new Error(`AI is not on: ${JSON.stringify(body)}`);
  return shopOn(gateway, tenant, device);
}

function shopOn(gateway: Gateway, tenant: Tenant, device: Device): AiShop {
  const api = gateway.as(tenant.tokens.token);
  const people = peopleOf(gateway, api);
  const shop: AiShop = {
    ...people,
    gateway,
    tenant,
    api,
    device,
    eventually: (what, check) =>
      gateway.until(what, async () => {
        // The index lives in a thread, which needs real time.
        await pause(2);
        return check();
      }) as never,
    async settled() {
      for (let step = 0; step < 60; step += 1) {
        await pause(3);
        await gateway.clock.advance(500);
      }
    },
    receives: (subject, count) =>
      shop.eventually(`${subject} receives ${count}`, () => people.received(subject).length >= count && people.received(subject)) as never,
    restarted: async () => shopOn(await gateway.crash(), tenant, device),
  };
  return shop;
}
