import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scope } from '../stores.ts';

/** A payment page at a double, by the gateway's reference. */
export interface Page {
  readonly ref: string;
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  paid: boolean;
  /** Amount that was actually paid; default: the requested amount. */
  paidAmount?: number;
  fee: number;
  refunded: number;
  disputed: 'needs_response' | 'won' | 'lost' | null;
  expired: boolean;
  /** Fields to return instead when the page is queried. */
  says?: Readonly<Record<string, unknown>>;
}

/**
 * Behavior of a double from now on. `silence`: no effect and no response; `lost`: the request takes effect, but its
 * response is lost; `error`: fails; `apiError`: fails in Stripe's format.
 */
export type Fault = 'none' | 'silence' | 'lost' | 'error' | 'apiError';

/** Doubles of the three providers at one address, to the extent that the gateway and the official clients use them. */
export interface ProviderDoubles {
  readonly url: string;
  readonly pages: Map<string, Page>;
  /** Requests by the gateway's idempotency key, with their responses. */
  readonly keys: Map<string, { readonly text: string; readonly answer: Answered }>;
  /** Number of queries about payments. */
  asked: number;
  fault: Fault;
  /** Called before the response about a new page, because a provider's webhook may arrive earlier. */
  beforeAnswer: (page: Page) => Promise<void>;
  page(ref: string): Page;
}

type Body = Readonly<Record<string, unknown>>;
type Answered = readonly [status: number, body: unknown];

export const SERVER_KEY = 'SB-Mid-server-EXAMPLEKEY0123456789';

export async function providerDoubles(scope: Scope): Promise<ProviderDoubles> {
  const doubles: ProviderDoubles = {
    url: '',
    pages: new Map(),
    keys: new Map(),
    asked: 0,
    fault: 'none',
    beforeAnswer: async () => {},
    page(ref) {
      const page = doubles.pages.get(ref);
      if (!page) throw new Error(`no page ${ref}`);
      return page;
    },
  };
  const server = createServer((request, response) => void serve(doubles, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(doubles, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

async function serve(doubles: ProviderDoubles, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (doubles.fault === 'silence') return;
  const { isReplayed, answer } = await once(doubles, request, Buffer.concat(chunks).toString());
  if (doubles.fault === 'lost') return;
  const [status, body] = answer;
  response.writeHead(status, { 'content-type': 'application/json', ...(isReplayed && { 'idempotent-replayed': 'true' }) });
  response.end(JSON.stringify(body));
}

/**
 * Handles an idempotency key. The same request gets the first response again (from Stripe also a failure); a different
 * request is refused.
 */
async function once(doubles: ProviderDoubles, request: IncomingMessage, text: string): Promise<{ isReplayed: boolean; answer: Answered }> {
  const key = String(request.headers['idempotency-key'] ?? '');
  const known = request.method === 'POST' ? doubles.keys.get(key) : undefined;
  if (known) return { isReplayed: true, answer: known.text === text ? known.answer : OTHER_REQUEST };
  const answer: Answered = FAILURES[doubles.fault] ?? (await answered(doubles, request, text));
  const isKept = answer[0] < 500 || request.url === '/v1/checkout/sessions';
  if (request.method === 'POST' && key !== '' && isKept) doubles.keys.set(key, { text, answer });
  return { isReplayed: false, answer };
}

const FAILURES: Readonly<Partial<Record<Fault, Answered>>> = { error: [500, {}], apiError: [500, { error: { type: 'api_error' } }] };
const OTHER_REQUEST: Answered = [
  400,
  { error_code: 'IDEMPOTENCY_ERROR', error: { type: 'idempotency_error', message: 'another request' } },
];

async function answered(doubles: ProviderDoubles, { method, url = '', headers }: IncomingMessage, text: string): Promise<Answered> {
  if (!headers.authorization) return [401, { error: 'no key' }];
  const path = new URL(url, 'http://double').pathname.replace(/\/$/, '');
  if (method === 'POST') return (await MAKES[path]?.(doubles, text)) ?? ended(doubles, path) ?? [404, {}];
  doubles.asked += 1;
  if (path === '/refunds') return [200, { data: refunds(doubles, new URL(url, 'http://double').searchParams), has_more: false }];
  const id = decodeURIComponent(path.split('/').find((part) => /^(ps-|cs_|[0-9A-Z]{26}|[0-9a-f]{24}$)/.test(part)) ?? '');
  const page = [...doubles.pages.values()].find((one) => one.id === id || one.ref === id);
  if (path === '/v1/disputes') return [200, { object: 'list', data: disputes(doubles), has_more: false }];
  if (path.startsWith('/v2/invoices/'))
    return page ? [200, { ...xenditInvoice(page), ...page.says }] : [404, { error_code: 'INVOICE_NOT_FOUND_ERROR' }];
  if (path.startsWith('/v2/')) {
    const hasTransaction = page && (page.paid || page.expired || page.says);
    return hasTransaction ? [200, { ...midtransStatus(page), ...page.says }] : [200, { status_code: '404' }];
  }
  if (!page) return [404, { error_code: 'DATA_NOT_FOUND' }];
  return [200, { ...(path.startsWith('/sessions/') ? xenditSession(page) : stripeSession(page)), ...page.says }];
}

const MAKES: Readonly<Record<string, (doubles: ProviderDoubles, text: string) => Promise<Answered>>> = {
  '/snap/v1/transactions': (doubles, text) => snap(doubles, JSON.parse(text)),
  '/sessions': (doubles, text) => session(doubles, JSON.parse(text)),
  '/v2/invoices': (doubles, text) => olderInvoice(doubles, JSON.parse(text)),
  '/v1/checkout/sessions': (doubles, text) => checkout(doubles, new URLSearchParams(text)),
};

/** Ends a page, unless it was paid or has already ended. Returns null for any other path. */
function ended({ pages }: ProviderDoubles, path: string): Answered | null {
  const [, xendit, stripe] = /^(?:\/sessions\/(ps-\w+)\/cancel|\/v1\/checkout\/sessions\/(cs_\w+)\/expire)$/.exec(path) ?? [];
  const page = [...pages.values()].find(({ id }) => id === (xendit ?? stripe));
  if (!page) return null;
  if (page.paid || page.expired) return [400, { error_code: 'INVALID_STATE', error: { type: 'invalid_request_error' } }];
  page.expired = true;
  return [200, xendit === undefined ? stripeSession(page) : xenditSession(page)];
}

async function opened(doubles: ProviderDoubles, ref: string, id: string, amount: number, currency: string): Promise<Page> {
  const known = doubles.pages.get(ref);
  const page = known ?? { ref, id, amount, currency, paid: false, fee: 0, refunded: 0, disputed: null, expired: false };
  doubles.pages.set(ref, page);
  await doubles.beforeAnswer(page);
  return page;
}

async function snap(doubles: ProviderDoubles, body: Body): Promise<Answered> {
  const details = body['transaction_details'] as { order_id: string; gross_amount: number };
  const items = (body['item_details'] ?? []) as readonly { price: number; quantity: number }[];
  const sum = items.reduce((total, { price, quantity }) => total + price * quantity, 0);
  if (items.length > 0 && sum !== details.gross_amount) return [400, { error_messages: ['item_details do not add up to gross_amount'] }];
  if (doubles.pages.get(details.order_id)?.paid) return [400, { error_messages: ['transaction_details.order_id has already been taken'] }];
  const page = await opened(doubles, details.order_id, details.order_id, details.gross_amount, 'IDR');
  return [201, { token: `token-${page.id}`, redirect_url: `https://app.example/snap/${page.id}` }];
}

async function session(doubles: ProviderDoubles, body: Body): Promise<Answered> {
  const id = `ps-${createHash('sha256').update(String(body['reference_id'])).digest('hex').slice(0, 24)}`;
  const page = await opened(doubles, String(body['reference_id']), id, Number(body['amount']), String(body['currency']));
  return [200, xenditSession(page)];
}

async function olderInvoice(doubles: ProviderDoubles, body: Body): Promise<Answered> {
  const id = createHash('sha256').update(String(body['external_id'])).digest('hex').slice(0, 24);
  const page = await opened(doubles, String(body['external_id']), id, Number(body['amount']), String(body['currency']));
  return [200, xenditInvoice(page)];
}

async function checkout(doubles: ProviderDoubles, form: URLSearchParams): Promise<Answered> {
  const ref = form.get('client_reference_id') ?? '';
  const price = 'line_items[0][price_data]';
  const amount = Number(form.get(`${price}[unit_amount]`)) * Number(form.get('line_items[0][quantity]'));
  const page = await opened(doubles, ref, `cs_test_${ref}`, amount, form.get(`${price}[currency]`) ?? '');
  return [200, stripeSession(page)];
}

const paidFor = (page: Page): number => page.paidAmount ?? page.amount;

export function midtransStatus(page: Page): Body {
  const back = page.refunded < paidFor(page) ? 'partial_refund' : 'refund';
  const status = page.refunded > 0 ? back : page.disputed ? 'chargeback' : page.expired ? 'expire' : 'settlement';
  const gross = `${paidFor(page) + page.fee}.00`;
  const status_code = page.expired ? '407' : '200';
  const signature_key = createHash('sha512').update(`${page.ref}${status_code}${gross}${SERVER_KEY}`).digest('hex');
  const extra_info = {
    gross_amount_info: {
      original_amount: String(paidFor(page)),
      gross_amount: String(paidFor(page) + page.fee),
      customer_imposed_payment_fee: String(page.fee),
    },
  };
  return {
    transaction_status: status,
    fraud_status: 'accept',
    status_code,
    order_id: page.ref,
    transaction_id: `tx-${page.ref}`,
    gross_amount: gross,
    currency: page.currency,
    signature_key,
    ...(page.refunded > 0 && { refund_amount: `${page.refunded}.00` }),
    ...(page.fee > 0 && { metadata: { extra_info } }),
  };
}

const xenditSession = (page: Page): Body => ({
  payment_session_id: page.id,
  reference_id: page.ref,
  session_type: 'PAY',
  mode: 'PAYMENT_LINK',
  status: page.paid ? 'COMPLETED' : page.expired ? 'EXPIRED' : 'ACTIVE',
  amount: paidFor(page),
  currency: page.currency,
  payment_link_url: `https://xen.example/${page.id}`,
  ...(page.paid && { payment_id: `py-${page.id}`, payment_request_id: `pr-${page.id}` }),
});

/** The invoice record, also used in the webhook. */
export const xenditInvoice = (page: Page): Body => ({
  id: page.id,
  external_id: page.ref,
  user_id: '62440e322008e87fb29c1fd0',
  status: page.paid ? 'PAID' : page.expired ? 'EXPIRED' : 'PENDING',
  merchant_name: 'Gateway',
  amount: page.amount,
  currency: page.currency,
  expiry_date: '2026-11-21T07:02:09.000Z',
  invoice_url: `https://xen.example/${page.id}`,
  available_banks: [],
  available_retail_outlets: [],
  available_ewallets: [],
  available_qr_codes: [],
  available_direct_debits: [],
  available_paylaters: [],
  should_send_email: false,
  created: '2026-11-20T07:02:09.000Z',
  updated: '2026-11-20T07:05:41.000Z',
  ...(page.paid && { paid_amount: paidFor(page), paid_at: '2026-11-20T07:05:40.000Z', payment_id: `py-${page.id}` }),
});

/** A failed refund is listed too, but no money was returned. */
function refunds({ pages }: ProviderDoubles, by: URLSearchParams): readonly Body[] {
  const page = [...pages.values()].find(({ id }) => by.get('payment_request_id') === `pr-${id}` || by.get('invoice_id') === id);
  if (!page || page.refunded === 0) return [];
  const refund = { id: `rfd-${page.id}`, payment_id: `py-${page.id}`, payment_request_id: `pr-${page.id}`, currency: page.currency };
  return [
    { ...refund, id: `rfd-0-${page.id}`, amount: page.amount, status: 'FAILED', failure_code: 'INSUFFICIENT_BALANCE' },
    { ...refund, amount: page.refunded, status: 'SUCCEEDED', failure_code: null },
  ];
}

const stripeSession = (page: Page): Body => ({
  id: page.id,
  object: 'checkout.session',
  mode: 'payment',
  status: page.paid ? 'complete' : page.expired ? 'expired' : 'open',
  payment_status: page.paid ? 'paid' : 'unpaid',
  amount_total: paidFor(page),
  currency: page.currency,
  client_reference_id: page.ref,
  url: `https://checkout.example/${page.id}`,
  payment_intent: page.paid
    ? {
        id: `pi_${page.ref}`,
        object: 'payment_intent',
        latest_charge: { id: `ch_${page.ref}`, object: 'charge', amount_refunded: page.refunded, disputed: page.disputed !== null },
      }
    : null,
});

const disputes = ({ pages }: ProviderDoubles): readonly Body[] =>
  [...pages.values()].flatMap(({ ref, disputed }) => (disputed ? [{ id: `dp_${ref}`, object: 'dispute', status: disputed }] : []));
