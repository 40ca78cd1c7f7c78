import Joi from 'joi';
import { periodEndOf, statusOf } from '../../../actors/domain/billing/account.ts';
import { CURRENCIES, overagePrice } from '../../../actors/domain/billing/money.ts';
import { monthBounds, monthIn } from '../../../actors/domain/billing/periods.ts';
import { type Plan, planOf } from '../../../actors/domain/plans.ts';
import { refusal } from '../../../actors/domain/refusals.ts';
import { type BillingDeps, cancel, checkout, resume } from '../../../actors/services/billing/billing.ts';
import type { Confirm } from '../../../actors/services/billing/confirm.ts';
import type { Loaded } from '../../../actors/services/billing/ledger.ts';
import { type RetryUnsentDeps, retryUnsent } from '../../../actors/services/billing/retry-unsent.ts';
import type { Usage } from '../../../store/accounts/usage.ts';
import type { BillingCurrency, InvoiceRow, Invoices } from '../../../store/billing/invoices.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import { pageFrom } from '../../core/paging.ts';
import { type Area, type Call, Raw, rowsFor } from '../../core/row.ts';
import { nextPage, paging, Ulid } from '../../core/schemas.ts';
import { type Billing, BillingSchema, Currency, InvoiceSchema, PlanName, PlanSchema, toInvoice } from './schemas.ts';

export interface BillingAreaServices extends RetryUnsentDeps {
  readonly billing: BillingDeps & { readonly invoices: Invoices; readonly confirm: Confirm };
  readonly usage: Pick<Usage, 'messages' | 'giveBackOnce'>;
  readonly devices: Pick<Devices, 'list'>;
  mayAsk(invoiceId: string, now: number): Promise<boolean>;
}

interface PageQuery {
  limit: number;
  before?: number;
  before_id?: string;
}

interface Checkout {
  plan: string;
  provider: string;
  currency?: BillingCurrency;
  preview?: boolean;
}

const row = rowsFor<BillingAreaServices>();
const JSON_TYPE = 'application/json; charset=utf-8';
const oneInvoice = Joi.object<{ id: string }>({ id: Ulid.required().description('The invoice') });

export const billing: Area<BillingAreaServices> = {
  name: 'billing',
  about: 'Plans, prices and invoices. The owner pays through a provider, and the plan changes as soon as the payment arrives',
  rows: [
    row({
      id: 'getBilling',
      method: 'GET',
      path: '/v1/billing',
      summary: 'Get the billing status',
      about: 'Get the plan, the end of the paid period, credit, overage and quota',
      access: 'bearer',
      status: 200,
      returns: BillingSchema,
      run: async (services, { caller }) => shown(services, await services.billing.ledger.load(caller.tenantId)),
    }),
    row({
      id: 'listPlans',
      list: { of: 'plans' },
      method: 'GET',
      path: '/v1/billing/plans',
      summary: 'List plans',
      about: 'List all plans with their limits and prices',
      access: 'bearer',
      status: 200,
      returns: Joi.object({ plans: Joi.array().items(PlanSchema).required() }),
      run: ({ billing: { plans } }) => ({ plans: [...plans.values()].map(priceList) }),
    }),
    row({
      id: 'getBillingOptions',
      method: 'GET',
      path: '/v1/billing/options',
      summary: 'Get the payment options',
      about: 'Get the currency of the tenant and the configured payment providers',
      access: 'bearer',
      status: 200,
      returns: Joi.object({
        currency: Currency.required(),
        providers: Joi.array()
          .items(Joi.object({ id: Joi.string().required().example('sandbox'), currencies: Joi.array().items(Currency).required() }))
          .required(),
      }),
      async run({ billing: { ledger, providers } }, { caller }) {
        const { context } = await ledger.load(caller.tenantId);
        return {
          currency: context.currency,
          providers: [...providers.values()].map(({ id, currencies }) => ({ id, currencies: [...currencies] })),
        };
      },
    }),
    row({
      id: 'checkout',
      method: 'POST',
      path: '/v1/billing/checkout',
      summary: 'Buy a plan',
      example: { plan: 'starter', provider: 'sandbox' },
      about:
        'A more expensive plan starts at once. The same plan is renewed for another month. A cheaper plan starts at the end of the period. This returns 200, as does a preview, which creates nothing. Repeating an unpaid purchase returns 200 with the same invoice',
      audit: { action: 'billing.checkout', target: 'account' },
      stepUp: { none: 'pays for a plan; grants no access' },
      access: 'owner',
      body: Joi.object<Checkout>({
        plan: PlanName.required(),
        provider: Joi.string().max(20).required().description('A provider from `GET /v1/billing/options`').example('sandbox'),
        currency: Currency.description('Default: the currency of the tenant'),
        preview: Joi.boolean().description('True: only show what the plan would cost. No invoice is created').example(true),
      }),
      status: 201,
      also: { 200: 'No invoice was created: it already exists, this is a preview, or a cheaper plan starts at the end of the period' },
      returns: Joi.object({
        invoice: InvoiceSchema.allow(null).required(),
        payment_url: Joi.string().uri().allow(null).description('Absent in the response to a preview'),
      }),
      refuses: ['CURRENCY_NOT_SUPPORTED', 'CONFLICT', 'RATE_LIMITED', 'PROVIDER_UNAVAILABLE'],
      run: buy,
    }),
    row({
      id: 'listInvoices',
      method: 'GET',
      path: '/v1/billing/invoices',
      summary: 'List invoices',
      about: 'List invoices, newest first',
      access: 'bearer',
      query: Joi.object<PageQuery>(paging).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ invoices: Joi.array().items(InvoiceSchema).required(), ...nextPage }),
      async run(services, { caller, query, now }) {
        const { entries, next } = await pageFrom(caller.tenantId, query, {
          list: (page) => services.billing.invoices.list(caller.tenantId, page),
          show: (one) => toInvoice(one, now),
        });
        return { invoices: entries, ...next };
      },
    }),
    row({
      id: 'getInvoice',
      method: 'GET',
      path: '/v1/billing/invoices/{id}',
      summary: 'Get an invoice',
      about: 'Get an invoice. While it can still be paid, the gateway asks the provider for its state',
      access: 'bearer',
      params: oneInvoice,
      status: 200,
      returns: InvoiceSchema,
      refuses: ['NOT_FOUND'],
      async run(services, { caller, params, now }) {
        const known = await services.billing.invoices.find(caller.tenantId, params.id);
        if (!known) throw refusal('NOT_FOUND');
        if (!isSettled(known) && (await services.mayAsk(known._id, now))) await services.billing.confirm.confirm(known);
        return toInvoice((await services.billing.invoices.find(caller.tenantId, params.id)) ?? known, now);
      },
    }),
    change(
      'cancelPlan',
      'cancel',
      { summary: 'Cancel the plan', about: 'The plan ends with the paid period. A new payment undoes the cancellation' },
      cancel,
    ),
    change(
      'resumePlan',
      'resume',
      { summary: 'Resume the plan', about: 'Undo a cancellation, or a plan change that is due at the end of the period' },
      resume,
    ),
    row({
      id: 'retryUnsent',
      method: 'POST',
      path: '/v1/billing/retry-unsent',
      summary: 'Retry unsent messages',
      about: 'Requeue messages that the quota stopped in the last 24 hours, as far as the quota now allows (at most 5,000 per call)',
      audit: { none: 'the message log records the messages' },
      access: 'owner',
      status: 202,
      returns: Joi.object({ retried: Joi.number().integer().min(0).required() }),
      run: async (services, { caller, now }) => ({ retried: await retryUnsent(services, caller.tenantId, caller.plan, now) }),
    }),
  ],
};

const isSettled = ({ status }: InvoiceRow): boolean => status === 'paid' || status === 'refunded';

type Words = { readonly summary: string; readonly about?: string };

function change(id: string, path: string, words: Words, run: (deps: BillingDeps, tenantId: string) => Promise<Loaded>) {
  return row({
    id,
    method: 'POST',
    path: `/v1/billing/${path}`,
    ...words,
    audit: { action: `billing.${path}`, target: 'account' },
    stepUp: { none: 'the plan lasts until its end and can be resumed' },
    access: 'owner',
    status: 200,
    returns: BillingSchema,
    refuses: ['CONFLICT'],
    run: async (services, { caller }) => shown(services, await run(services.billing, caller.tenantId)),
  });
}

async function buy({ billing: deps }: BillingAreaServices, { caller, body, now }: Call<unknown, unknown, Checkout>) {
  const { plan, provider, currency, preview = false } = body;
  const { invoice, isNew } = await checkout(deps, caller.tenantId, { plan, provider, currency, isPreview: preview });
  const record = invoice && { ...toInvoice(invoice, now), ...(preview && invoice.rev === 0 && { id: null }) };
  const answer = { invoice: record, ...(!(preview && invoice) && { payment_url: record?.payment_url ?? null }) };
  if (isNew) return { invoice: record, payment_url: record?.payment_url ?? null };
  return new Raw(JSON.stringify(answer), JSON_TYPE, 200);
}

function priceList({ name, devices, messages, send_per_minute, key_cap, keys, stores, ai_replies, prices, overage }: Plan) {
  return { name, devices, messages, send_per_minute, key_cap, keys, stores, ai_replies, prices, overage };
}

async function shown({ usage, devices, billing: { plans } }: BillingAreaServices, { account, context }: Loaded): Promise<Billing> {
  const { now, zone, currency } = context;
  const month = monthIn(zone, now);
  const plan = planOf(plans, account.plan);
  const [used, all] = await Promise.all([usage.messages(account._id, month), devices.list(account._id, null)]);
  const beyond = plan.overage ? Math.max(0, used - plan.messages) : 0;
  const paidIn = [currency, account.currency, ...CURRENCIES].find((one) => account.credit[one] > 0) ?? account.currency;
  return {
    plan: plan.name,
    status: statusOf(account),
    period_start: account.period?.start ?? null,
    period_end: periodEndOf(account),
    cancel_at_period_end: account.cancel_at_period_end,
    pending_plan: account.pending_plan,
    credit: { amount: account.credit[paidIn], currency: paidIn },
    overage: { messages: beyond, amount: overagePrice(beyond, plan.overage?.[account.currency] ?? 0), currency: account.currency },
    quota: { used, limit: plan.messages, resets_at: monthBounds(zone, month).end },
    paused_devices: all.filter(({ paused }) => paused).map(({ _id }) => _id),
  };
}
