import { type Answer, type Api, aGateway, codeOn, type Gateway, type Tenant } from '../gateway.ts';
import type { Scope, StoreKind } from '../stores.ts';
import { callbackOf, keysFor, type Provider } from './callbacks.ts';
import { type Page, type ProviderDoubles, providerDoubles } from './provider-doubles.ts';

/** Overrides that turn a page into another payment of the same provider. */
export const PAYMENT: Readonly<Record<Provider, (nth: number) => Readonly<Record<string, unknown>>>> = {
  midtrans: (nth) => ({ transaction_id: `tx-${nth}` }),
  xendit: (nth) => ({ payment_id: `py-${nth}` }),
  stripe: (nth) => ({ payment_intent: { id: `pi_${nth}`, object: 'payment_intent', latest_charge: null } }),
};

/** A business that buys plans from the doubles of all providers. */
export interface ProviderTill {
  readonly gateway: Gateway;
  readonly tenant: Tenant;
  readonly doubles: ProviderDoubles;
  checkout(provider: Provider, plan?: string): Promise<Answer>;
  /** Posts the provider's webhook about a page, with a valid signature. */
  hook(provider: Provider, page: Page, more?: object): Promise<Answer>;
  plan(): Promise<string>;
  billing(): Promise<Answer['body']>;
  /** Advances the wall clock and signs the owner in again. */
  later(ms: number): Promise<void>;
  invoice(id: string): Promise<Answer['body']>;
}

export async function aProviderTill(scope: Scope, kind: StoreKind): Promise<ProviderTill> {
  const doubles = await providerDoubles(scope);
  const gateway = await aGateway(scope, { kind, config: keysFor(doubles) });
  const tenant = await gateway.signUp();
  let login = tenant.api;
  const api: Api = (...call) => login(...call);
  return {
    gateway,
    async later(ms) {
      gateway.clock.jump(ms);
      const phone = `+${tenant.phone}`;
      await gateway.during(gateway.api('POST', '/auth/request-otp', { phone }));
      const code = codeOn(gateway.sandbox, tenant.phone);
      login = gateway.as((await gateway.api('POST', '/auth/verify-otp', { phone, code })).body.token);
    },
    billing: async () => (await api('GET', '/v1/billing')).body,
    tenant,
    doubles,
    checkout: (provider, plan = 'pro') =>
      gateway.during(api('POST', '/v1/billing/checkout', { plan, provider, currency: provider === 'stripe' ? 'USD' : 'IDR' })),
    hook: (provider, page, more = {}) => gateway.during(callOf(gateway, provider, page, more)),
    plan: async () => (await api('GET', '/v1/billing')).body.plan,
    invoice: async (id) => (await gateway.during(api('GET', `/v1/billing/invoices/${id}`))).body,
  };
}

/** Returns a function that posts the provider's webhook about a page. */
export function callOf({ api, clock }: Gateway, provider: Provider, page: Page, more: object): Promise<Answer> {
  const { path, body, headers } = callbackOf(provider, page, clock.now(), more);
  return api('POST', path, body, headers);
}
