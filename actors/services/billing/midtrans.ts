import { hash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../runtime/clock.ts';
import { amountIn } from '../../domain/billing/money.ts';
import type { PaymentFact } from '../../domain/billing/payment.ts';
import {
  type AskedPayment,
  type HookSubject,
  NOTHING,
  type PaymentHook,
  type PaymentProvider,
  ProviderFailure,
  paidIn,
  textIn,
} from './provider.ts';
import { ProviderClient } from './provider-client.ts';

export interface MidtransOptions {
  readonly serverKey: string;
  readonly url: string | null;
  readonly clock: Clock;
  readonly timeoutMs?: number;
}

const MINUTE_MS = 60_000;

/** Implements Midtrans Snap. Each `order_id`, which is our reference, can be charged only once. */
export function midtrans({ serverKey, url, clock, timeoutMs }: MidtransOptions): PaymentProvider {
  const headers = { authorization: `Basic ${Buffer.from(`${serverKey}:`).toString('base64')}` };
  const domain = serverKey.startsWith('SB-') ? 'sandbox.midtrans.com' : 'midtrans.com';
  const snap = new ProviderClient({ base: url ?? `https://app.${domain}`, headers, clock, timeoutMs });
  const core = new ProviderClient({ base: url ?? `https://api.${domain}`, headers, clock, timeoutMs });

  return {
    id: 'midtrans',
    currencies: ['IDR'],
    goesByReference: true,

    async create({ ref, invoice, text, expiresAt, returnUrl, now }) {
      const { amount } = invoice;
      const minutes = Math.max(5, Math.floor((expiresAt - now) / MINUTE_MS));
      const answer = await snap.post('/snap/v1/transactions', {
        transaction_details: { order_id: ref, gross_amount: amount },
        item_details: [{ id: invoice.plan, price: amount, quantity: 1, name: text.slice(0, 50) }],
        page_expiry: { duration: minutes, unit: 'minutes' },
        expiry: { duration: minutes, unit: 'minutes' },
        callbacks: { finish: returnUrl, error: returnUrl },
      });
      const address = answer.body?.['redirect_url'];
      if (typeof address === 'string') return { providerId: null, url: address, expiresAt };
      throw new ProviderFailure(`midtrans responded with ${answer.status} to a new payment`, isUsed(answer.raw));
    },

    async ask(invoice, { ref }) {
      const { body, raw, status } = await core.get(`/v2/${encodeURIComponent(ref)}/status`);
      // While the customer has not chosen a payment method, Midtrans reports 404 in the body.
      if (body?.['status_code'] === '404' || status === 404) return NOTHING;
      if (body === null || typeof body['transaction_status'] !== 'string')
        throw new ProviderFailure(`midtrans responded with ${status} to a status query`);
      const wasPaid = invoice.payments.some(({ id }) => id === idOf(body));
      return said(body, ref, hash('sha256', raw, 'hex'), wasPaid);
    },

    verify: (hook) => subjectOf(hook, serverKey),
  };
}

const isUsed = (raw: string): boolean => /order_id[^"]*(taken|used|duplicate|sudah digunakan)/i.test(raw);

type Body = Readonly<Record<string, unknown>>;

/** Statuses in which money was received. For `capture`, this also depends on the fraud check. */
const RECEIVED = ['settlement', 'capture', 'refund', 'partial_refund', 'chargeback', 'partial_chargeback'];
const OVER = ['cancel', 'expire', 'failure'];

const idOf = (body: Body): string => textIn(body['transaction_id']) || textIn(body['order_id']);

function said(body: Body, ref: string, evidence: string, wasPaid: boolean): AskedPayment {
  const status = String(body['transaction_status']);
  const fraud = body['fraud_status'];
  const isAccepted = fraud === undefined || fraud === 'accept';
  const isReceived = RECEIVED.includes(status) && (isAccepted || wasPaid);
  const isDeniedLater = wasPaid && status === 'deny';
  if (!isReceived && !isDeniedLater) return { status, isFinal: OVER.includes(status), payments: [] };
  const fact: PaymentFact = {
    id: idOf(body),
    ...paidIn(paidOf(body)),
    currency: textIn(body['currency'] ?? 'IDR'),
    isOurs: body['order_id'] === ref,
    refunded: refundedOf(body, status),
    dispute: isDeniedLater || status.includes('chargeback') ? 'open' : null,
    evidence,
  };
  return { status, isFinal: true, payments: [fact] };
}

/** `gross_amount` includes a fee charged to the customer, which does not count towards the invoice. */
function paidOf(body: Body): unknown {
  const gross = amountIn(body['gross_amount']);
  const info = dig(body, ['metadata', 'extra_info', 'gross_amount_info']);
  if (!info || gross === null) return body['gross_amount'];
  const [original, fee] = [amountIn(info['original_amount']), amountIn(info['customer_imposed_payment_fee'])];
  return original !== null && fee !== null && original + fee === gross ? original : gross;
}

function refundedOf(body: Body, status: string): number {
  if (!status.includes('refund')) return 0;
  const amount = amountIn(body['refund_amount']) ?? 0;
  // A full refund may exclude the provider's fee, so count at least the amount that was paid.
  return status === 'refund' ? Math.max(amount, amountIn(paidOf(body)) ?? 0) : amount;
}

function dig(body: Body, path: readonly string[]): Body | null {
  let at: unknown = body;
  for (const name of path) {
    if (typeof at !== 'object' || at === null) return null;
    at = Object.entries(at).find(([key]) => key === name)?.[1];
  }
  return typeof at === 'object' && at !== null ? { ...at } : null;
}

function subjectOf({ raw }: PaymentHook, serverKey: string): HookSubject | null {
  const body = jsonOf(raw);
  if (!body) return null;
  const { order_id, status_code, gross_amount, signature_key } = body;
  if (![order_id, status_code, gross_amount, signature_key].every((value) => typeof value === 'string')) return null;
  // The transaction's status is not part of the signature, so it is not used.
  const expected = hash('sha512', `${order_id}${status_code}${gross_amount}${serverKey}`, 'hex');
  return isSame(expected, String(signature_key)) ? { kind: 'reference', ref: String(order_id), page: null } : null;
}

export function jsonOf(raw: Buffer): Body | null {
  try {
    const value: unknown = JSON.parse(raw.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

export function isSame(expected: string, given: string): boolean {
  const [one, other] = [hash('sha256', expected, 'buffer'), hash('sha256', given, 'buffer')];
  return timingSafeEqual(one, other);
}
