import { hash } from 'node:crypto';
import type { Stripe } from 'stripe';
import { memberOf } from '../../../runtime/shapes.ts';
import type { InvoicePayment } from '../../../store/billing/invoices.ts';
import { amountIn } from '../../domain/billing/money.ts';
import type { PaymentFact } from '../../domain/billing/payment.ts';
import {
  type AskedPayment,
  type HookSubject,
  type PaymentHook,
  type PaymentProvider,
  PROVIDER_TIMEOUT_MS,
  ProviderFailure,
  paidIn,
  textIn,
} from './provider.ts';

export interface StripeOptions {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly url: string | null;
  readonly timeoutMs?: number;
}

const API_VERSION = '2026-10-28.endive';
const TOLERANCE_SECONDS = 300;

/** Uses Stripe's payment mode only. The gateway itself manages periods, prices and reminders. */
export function stripe({ secretKey, webhookSecret, url, timeoutMs = PROVIDER_TIMEOUT_MS }: StripeOptions): PaymentProvider {
  let client: Promise<Stripe> | undefined;
  // The library is loaded on first use, so that a gateway without Stripe starts faster.
  const open = (): Promise<Stripe> =>
    (client ??= import('stripe').then(({ Stripe: Client }) => new Client(secretKey, optionsFor(url, timeoutMs))));

  return {
    id: 'stripe',
    currencies: ['USD'],
    goesByReference: false,

    async create({ ref, invoice, text, lang, expiresAt, returnUrl }) {
      const api = await open();
      const metadata = { invoice_id: invoice._id, reference: ref };
      const session = await guarded(
        api.checkout.sessions.create(
          {
            mode: 'payment',
            client_reference_id: ref,
            metadata,
            payment_intent_data: { metadata },
            line_items: [
              {
                quantity: 1,
                price_data: { currency: invoice.currency.toLowerCase(), unit_amount: invoice.amount, product_data: { name: text } },
              },
            ],
            locale: lang,
            expires_at: Math.floor(expiresAt / 1000),
            success_url: returnUrl,
            cancel_url: returnUrl,
          },
          { idempotencyKey: ref },
        ),
      );
      if (!session.url) throw new ProviderFailure('stripe created a payment page without an address', isReplayed(session.lastResponse));
      return { providerId: session.id, url: session.url, expiresAt };
    },

    async end({ provider_id }) {
      if (provider_id !== null) await guarded((await open()).checkout.sessions.expire(provider_id));
    },

    async ask(invoice, { ref, provider_id }) {
      if (provider_id === null) throw new ProviderFailure('stripe has not identified this payment page yet');
      const api = await open();
      const session = await guarded(api.checkout.sessions.retrieve(provider_id, { expand: ['payment_intent.latest_charge'] }));
      // Stripe may fail without an error. The response then lacks these fields.
      if (session.id !== provider_id || !session.payment_status)
        throw new ProviderFailure('stripe returned an unexpected response to a query');
      const charge = chargeOf(session);
      const isDisputed = charge?.disputed === true || invoice.payments.some(({ dispute }) => dispute === 'open');
      const disputes = isDisputed && charge ? await guarded(api.disputes.list({ charge: charge.id, limit: 1 })) : null;
      return said(session, ref, charge, disputeOf(disputes?.data[0]));
    },

    async verify(hook) {
      const { Stripe: Client } = await import('stripe');
      return subjectOf(hook, webhookSecret, Client);
    },
  };
}

function optionsFor(url: string | null, timeout: number) {
  const base = { apiVersion: API_VERSION, timeout, maxNetworkRetries: 0, telemetry: false } as const;
  if (url === null) return base;
  const { hostname, port, protocol } = new URL(url);
  const isPlain = protocol === 'http:';
  return { ...base, host: hostname, port: Number(port || (isPlain ? 80 : 443)), protocol: isPlain ? 'http' : 'https' } as const;
}

/** Reports only an error's type, because errors contain the request. */
async function guarded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const kind = cause instanceof Error ? String(memberOf(cause, 'type') ?? cause.name) : 'unknown';
    throw new ProviderFailure(`stripe refused the request (${kind})`, isReplayed(cause) || kind === 'StripeIdempotencyError');
  }
}

const isReplayed = (answer: unknown): boolean => memberOf(memberOf(answer, 'headers'), 'idempotent-replayed') === 'true';

function chargeOf({ payment_intent }: Stripe.Checkout.Session): Stripe.Charge | null {
  const charge = typeof payment_intent === 'object' ? payment_intent?.latest_charge : null;
  return typeof charge === 'object' ? (charge ?? null) : null;
}

const KEPT: readonly string[] = ['won', 'warning_closed', 'prevented'];

function disputeOf(dispute: Stripe.Dispute | undefined): InvoicePayment['dispute'] {
  if (!dispute) return null;
  if (dispute.status === 'lost') return 'lost';
  return KEPT.includes(dispute.status) ? 'won' : 'open';
}

function said(
  session: Stripe.Checkout.Session,
  ref: string,
  charge: Stripe.Charge | null,
  dispute: InvoicePayment['dispute'],
): AskedPayment {
  const { payment_status, payment_intent, amount_total, currency, client_reference_id, status } = session;
  if (payment_status !== 'paid')
    return { status: status === 'expired' ? 'expired' : textIn(payment_status), isFinal: status === 'expired', payments: [] };
  const id = textIn(typeof payment_intent === 'string' ? payment_intent : payment_intent?.id) || session.id;
  const fact: PaymentFact = {
    id,
    ...paidIn(amount_total),
    currency: textIn(currency).toUpperCase(),
    isOurs: client_reference_id === ref,
    refunded: amountIn(charge?.amount_refunded) ?? 0,
    dispute,
    evidence: hash(
      'sha256',
      JSON.stringify([session.id, payment_status, textIn(amount_total), textIn(currency), id, textIn(charge?.id)]),
      'hex',
    ),
  };
  return { status: 'paid', isFinal: true, payments: [fact] };
}

/** The library accepts timestamps in the far future, so the tolerance is also checked here. */
function subjectOf({ raw, header, now }: PaymentHook, secret: string, client: typeof Stripe): HookSubject | null {
  const signature = header('stripe-signature');
  const stamp = Number(/(?:^|,)t=(\d+)/.exec(signature ?? '')?.[1]);
  if (signature === undefined || !Number.isFinite(stamp) || stamp * 1000 > now + TOLERANCE_SECONDS * 1000) return null;
  try {
    return aboutWhat(client.webhooks.constructEvent(raw, signature, secret, TOLERANCE_SECONDS, undefined, now));
  } catch {
    return null;
  }
}

function aboutWhat(event: Stripe.Event): HookSubject {
  const { object } = event.data;
  if (event.type.startsWith('checkout.session.')) {
    const ref = memberOf(object, 'client_reference_id');
    return typeof ref === 'string' ? { kind: 'reference', ref, page: textIn(memberOf(object, 'id')) || null } : { kind: 'ignored' };
  }
  const id = memberOf(object, 'payment_intent');
  const isAboutMoney = event.type.startsWith('charge.dispute.') || event.type === 'charge.refunded';
  return isAboutMoney && typeof id === 'string' ? { kind: 'payment', id } : { kind: 'ignored' };
}
