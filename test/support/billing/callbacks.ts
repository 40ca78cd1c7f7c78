import { createHmac } from 'node:crypto';
import type { Config } from '../../../scripts/wiring/config.ts';
import { midtransStatus, type Page, type ProviderDoubles, SERVER_KEY } from './provider-doubles.ts';

export type Provider = 'midtrans' | 'xendit' | 'stripe';
export const PROVIDERS: readonly Provider[] = ['midtrans', 'xendit', 'stripe'];

export const TOKEN = 'xendit-callback-token-0001';
const STRIPE_SECRET = 'whsec_EXAMPLE0123456789abcdef';

/** Returns keys for all three providers, served by the doubles. */
export const keysFor = ({ url }: Pick<ProviderDoubles, 'url'>): Partial<Config> => ({
  midtrans_server_key: SERVER_KEY,
  midtrans_url: url,
  xendit_secret_key: 'xnd_development_EXAMPLE0001',
  xendit_callback_token: TOKEN,
  xendit_url: url,
  stripe_secret_key: 'sk_test_EXAMPLE0001',
  stripe_webhook_secret: STRIPE_SECRET,
  stripe_url: url,
});

/** The request that a provider posts to its webhook. */
export interface Callback {
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns a provider's webhook call about a page, with a valid signature made at `now` (epoch ms). */
export function callbackOf(provider: Provider, page: Page, now: number, more: object = {}): Callback {
  const path = `/hooks/payments/${provider}`;
  if (provider === 'midtrans') return { path, body: JSON.stringify({ ...midtransStatus(page), ...more }), headers: {} };
  if (provider === 'xendit') {
    const data = { payment_session_id: page.id, reference_id: page.ref, status: 'COMPLETED' };
    return { path, body: JSON.stringify({ event: 'payment_session.completed', data, ...more }), headers: { 'x-callback-token': TOKEN } };
  }
  const object = { id: page.id, object: 'checkout.session', client_reference_id: page.ref, payment_intent: `pi_${page.ref}` };
  const body = JSON.stringify({ id: 'evt_1', object: 'event', type: 'checkout.session.completed', data: { object }, ...more });
  return { path, body, headers: { 'stripe-signature': stripeSignature(body, Math.floor(now / 1000)) } };
}

/** Plain HMAC as documented by Stripe; the gateway verifies it with Stripe's own library. `stamp`: epoch seconds. */
export const stripeSignature = (body: string, stamp: number): string =>
  `t=${stamp},v1=${createHmac('sha256', STRIPE_SECRET).update(`${stamp}.${body}`).digest('hex')}`;
