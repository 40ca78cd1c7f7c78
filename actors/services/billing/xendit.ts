import { hash } from 'node:crypto';
import type { Clock } from '../../../runtime/clock.ts';
import { amountIn } from '../../domain/billing/money.ts';
import type { PaymentFact } from '../../domain/billing/payment.ts';
import { isSame, jsonOf } from './midtrans.ts';
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

export interface XenditOptions {
  readonly secretKey: string;
  readonly callbackToken: string;
  readonly url: string | null;
  readonly clock: Clock;
  readonly timeoutMs?: number;
}

type Body = Readonly<Record<string, unknown>>;

/** Implements Xendit, including its older kind of invoices. */
export function xendit({ secretKey, callbackToken, url, clock, timeoutMs }: XenditOptions): PaymentProvider {
  const headers = { authorization: `Basic ${Buffer.from(`${secretKey}:`).toString('base64')}` };
  const client = new ProviderClient({ base: url ?? 'https://api.xendit.co', headers, clock, timeoutMs });

  return {
    id: 'xendit',
    currencies: ['IDR'],
    goesByReference: false,

    async create({ ref, invoice, text, lang, expiresAt, returnUrl }) {
      const order = {
        reference_id: ref,
        session_type: 'PAY',
        mode: 'PAYMENT_LINK',
        amount: invoice.amount,
        currency: invoice.currency,
        country: 'ID',
        locale: lang,
        description: text,
        expires_at: new Date(expiresAt).toISOString(),
        success_return_url: returnUrl,
        cancel_return_url: returnUrl,
      };
      const { body, status } = await client.post('/sessions', order, { 'idempotency-key': ref });
      const [id, link] = [body?.['payment_session_id'], body?.['payment_link_url']];
      if (typeof id !== 'string' || typeof link !== 'string') throw new ProviderFailure(`xendit responded with ${status} to a new payment`);
      return { providerId: id, url: link, expiresAt };
    },

    async end({ provider_id }) {
      if (!provider_id?.startsWith('ps-')) return;
      const { status } = await client.post(`/sessions/${encodeURIComponent(provider_id)}/cancel`, {});
      if (status !== 200) throw new ProviderFailure(`xendit responded with ${status} when a payment page was closed`);
    },

    async ask(_invoice, { ref, provider_id }) {
      if (provider_id === null) throw new ProviderFailure('xendit has not identified this payment page yet');
      const path = provider_id.startsWith('ps-')
        ? `/sessions/${encodeURIComponent(provider_id)}`
        : `/v2/invoices/${encodeURIComponent(provider_id)}`;
      const { body, raw, status } = await client.get(path);
      if (status === 404) return NOTHING;
      if (body === null || typeof body['status'] !== 'string')
        throw new ProviderFailure(`xendit responded with ${status} to a status query`);
      if (!PAID.includes(body['status'])) return { status: body['status'], isFinal: OVER.includes(body['status']), payments: [] };
      return paid(body, ref, hash('sha256', raw, 'hex'), await refundedOf(client, body));
    },

    verify: (hook) => subjectOf(hook, callbackToken),
  };
}

const PAID = ['COMPLETED', 'PAID', 'SETTLED'];
const OVER = ['EXPIRED', 'CANCELED'];

function paid(body: Body, ref: string, evidence: string, refunded: number): AskedPayment {
  const payment: PaymentFact = {
    id: textIn(body['payment_id']) || textIn(body['payment_session_id']) || textIn(body['id']) || ref,
    ...paidIn(body['paid_amount'] ?? body['amount']),
    currency: textIn(body['currency']),
    isOurs: (body['reference_id'] ?? body['external_id']) === ref,
    refunded,
    dispute: null,
    evidence,
  };
  return { status: String(body['status']), isFinal: true, payments: [payment] };
}

async function refundedOf(client: ProviderClient, { payment_request_id, payment_session_id, id }: Body): Promise<number> {
  const by =
    typeof payment_request_id === 'string' ? { payment_request_id } : payment_session_id === undefined ? { invoice_id: String(id) } : null;
  if (by === null) return 0;
  const { body, status } = await client.get(`/refunds?${new URLSearchParams({ ...by, limit: '100' })}`);
  const refunds = body?.['data'];
  if (status === 404) return 0;
  if (!Array.isArray(refunds)) throw new ProviderFailure(`xendit responded with ${status} to a query about refunds`);
  const amounts = refunds.map((refund: Body | null) => (refund?.['status'] === 'SUCCEEDED' ? (amountIn(refund['amount']) ?? 0) : 0));
  return amounts.reduce((sum, amount) => amountIn(sum + amount) ?? sum, 0);
}

/** Sessions, refunds and older invoices do not name their kind, so their shape determines it. */
function subjectOf({ raw, header }: PaymentHook, callbackToken: string): HookSubject | null {
  const token = header('x-callback-token');
  if (token === undefined || !isSame(callbackToken, token)) return null;
  const { event, data, external_id, status, id } = jsonOf(raw) ?? {};
  if (typeof data === 'object' && data !== null) return ofEvent(String(event), { ...data });
  const isInvoice = typeof external_id === 'string' && typeof status === 'string';
  return isInvoice ? { kind: 'reference', ref: external_id, page: textIn(id) || null } : { kind: 'ignored' };
}

function ofEvent(event: string, data: Body): HookSubject {
  if (event.startsWith('payment_session.'))
    return { kind: 'reference', ref: textIn(data['reference_id']), page: textIn(data['payment_session_id']) || null };
  // The reference of a refund is not the reference of its payment, so the payment's id is used.
  return event.startsWith('refund.') ? { kind: 'payment', id: textIn(data['payment_id']) } : { kind: 'ignored' };
}
