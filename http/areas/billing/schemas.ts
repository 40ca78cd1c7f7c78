import Joi from 'joi';
import { CURRENCIES } from '../../../actors/domain/billing/money.ts';
import type { Plan } from '../../../actors/domain/plans.ts';
import { payUrlOf } from '../../../actors/services/billing/payment-page.ts';
import type { InvoiceRow } from '../../../store/billing/invoices.ts';
import { Timestamp, Ulid } from '../../core/schemas.ts';

const PROVIDERS = ['midtrans', 'xendit', 'stripe', 'sandbox'] as const;
const INVOICE_STATUSES = ['open', 'paid', 'expired', 'void', 'refunded', 'disputed'] as const;

export const Currency = Joi.string()
  .valid(...CURRENCIES)
  .example('IDR');
export const Amount = Joi.number().integer().description('In minor units: cents; the rupiah has none').example(149_000);
export const PlanName = Joi.string().max(64).example('starter');
const Name = Joi.string().max(64);
const count = Joi.number().integer().min(0).required();
const time = Timestamp.allow(null).required();

/** An invoice as the API shows it. Times are epoch ms. */
export interface Invoice {
  readonly id: string | null;
  readonly number: string | null;
  readonly status: InvoiceRow['status'];
  readonly plan: string;
  readonly provider: string;
  readonly currency: string;
  readonly amount: number;
  readonly lines: InvoiceRow['lines'];
  readonly payment_url: string | null;
  readonly period_start: number | null;
  readonly period_end: number | null;
  readonly created_at: number;
  readonly expires_at: number;
  readonly paid_at: number | null;
}

/** `now` is epoch ms. */
export function toInvoice(row: InvoiceRow, now: number): Invoice {
  const {
    _id: id,
    number,
    status,
    plan,
    provider,
    currency,
    amount,
    lines,
    period_start,
    period_end,
    created_at,
    expires_at,
    paid_at,
  } = row;
  const payment_url = payUrlOf(row, now);
  return {
    id,
    number,
    status,
    plan,
    provider,
    currency,
    amount,
    lines,
    payment_url,
    period_start,
    period_end,
    created_at,
    expires_at,
    paid_at,
  };
}

export const InvoiceSchema: Joi.ObjectSchema<Invoice> = Joi.object<Invoice>({
  id: Ulid.allow(null).required().description('null: of a preview, which is not made'),
  number: Joi.string()
    .allow(null)
    .required()
    .description('Given when it is paid: one sequence of the whole service, without gaps')
    .example('INV-2026-000123'),
  status: Joi.string()
    .valid(...INVOICE_STATUSES)
    .required(),
  plan: Name.required().example('starter'),
  provider: Joi.string()
    .valid(...PROVIDERS)
    .required()
    .example('sandbox'),
  currency: Currency.required(),
  amount: Amount.required(),
  lines: Joi.array()
    .items(
      Joi.object({
        kind: Joi.string().valid('plan', 'credit', 'overage', 'tax').required(),
        text: Joi.string().required().example('starter, 1 month'),
        quantity: count,
        amount: Amount.required().description('Of the whole line; a credit is negative'),
      }).meta({ title: 'InvoiceLine' }),
    )
    .required()
    .description('They add up to `amount`'),
  payment_url: Joi.string()
    .uri()
    .allow(null)
    .required()
    .description('The page on which it can be paid now; null: none')
    .example('https://gateway.example/sandbox/pay/01JZX5ZB4T8QKX3N9V7C2M6D1E'),
  period_start: time,
  period_end: time,
  created_at: Timestamp.required(),
  expires_at: Timestamp.required(),
  paid_at: time,
}).meta({ title: 'Invoice' });

/** A tenant's plan and debts. */
export interface Billing {
  readonly plan: string;
  readonly status: 'free' | 'active' | 'past_due' | 'grace';
  readonly period_start: number | null;
  readonly period_end: number | null;
  readonly cancel_at_period_end: boolean;
  readonly pending_plan: string | null;
  readonly credit: { readonly amount: number; readonly currency: string };
  readonly overage: { readonly messages: number; readonly amount: number; readonly currency: string };
  readonly quota: { readonly used: number; readonly limit: number; readonly resets_at: number };
  readonly paused_devices: readonly string[];
}

export const BillingSchema: Joi.ObjectSchema<Billing> = Joi.object<Billing>({
  plan: Name.required().example('starter'),
  status: Joi.string()
    .valid('free', 'active', 'past_due', 'grace')
    .required()
    .description(
      '`grace`: the paid time is over, and the plan goes on for three days; `past_due`: an overage is not paid in time, or a payment is disputed',
    ),
  period_start: time,
  period_end: time.description('When the paid time ends; null: none is paid for'),
  cancel_at_period_end: Joi.boolean().required(),
  pending_plan: Name.allow(null).required().description("The plan from the period's end on; null: the same").example('free'),
  credit: Joi.object({ amount: Amount.required(), currency: Currency.required() }).required(),
  overage: Joi.object({ messages: count, amount: Amount.required(), currency: Currency.required() })
    .required()
    .description('This month so far; billed two hours after its end'),
  quota: Joi.object({ used: count, limit: count, resets_at: Timestamp.required() })
    .required()
    .description("Of the calendar month in the tenant's zone"),
  paused_devices: Joi.array()
    .items(Ulid)
    .required()
    .description('Linked, but offline: the plan has no room for them. The newest are paused first'),
}).meta({ title: 'Billing' });

export const PlanSchema = Joi.object<Plan>({
  name: Name.required().example('starter'),
  devices: count,
  messages: count.description('A month'),
  send_per_minute: count.description('Sends a minute and key'),
  key_cap: count.description('The most requests a minute that a key may have'),
  keys: count,
  stores: count,
  ai_replies: count.description('A month'),
  prices: Joi.object({ IDR: Amount.allow(null).required(), USD: Amount.allow(null).required() })
    .required()
    .description('A month; null: not sold in that currency'),
  overage: Joi.object({ IDR: Amount.required(), USD: Amount.required() })
    .allow(null)
    .required()
    .description('1,000 messages beyond the quota; null: none is sent beyond it'),
}).meta({ title: 'Plan' });
