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
export const Amount = Joi.number().integer().description('In minor units, such as cents. Rupiah amounts are whole rupiah').example(149_000);
export const PlanName = Joi.string().max(64).example('starter');
const Name = Joi.string().max(64);
const count = Joi.number().integer().min(0).required();
const time = Timestamp.allow(null).required();

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
  id: Ulid.allow(null).required().description('null for a preview, for which no invoice is created'),
  number: Joi.string()
    .allow(null)
    .required()
    .description('Assigned on payment, from one sequence without gaps for the whole service')
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
        amount: Amount.required().description('Total of the line. A credit is negative'),
      }).meta({ title: 'InvoiceLine' }),
    )
    .required()
    .description('The lines add up to `amount`'),
  payment_url: Joi.string()
    .uri()
    .allow(null)
    .required()
    .description('The page on which the invoice can be paid; null if it cannot be paid now')
    .example('https://gateway.example/sandbox/pay/01JZX5ZB4T8QKX3N9V7C2M6D1E'),
  period_start: time,
  period_end: time,
  created_at: Timestamp.required(),
  expires_at: Timestamp.required(),
  paid_at: time,
}).meta({ title: 'Invoice' });

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
      '`grace`: the paid period is over, and the plan continues for three days; `past_due`: an overage was not paid in time, or a payment is disputed',
    ),
  period_start: time,
  period_end: time.description('End of the paid period; null when nothing has been paid'),
  cancel_at_period_end: Joi.boolean().required(),
  pending_plan: Name.allow(null).required().description('The plan after the end of the period; null if it stays the same').example('free'),
  credit: Joi.object({ amount: Amount.required(), currency: Currency.required() }).required(),
  overage: Joi.object({ messages: count, amount: Amount.required(), currency: Currency.required() })
    .required()
    .description('This month so far. Billed two hours after the month ends'),
  quota: Joi.object({ used: count, limit: count, resets_at: Timestamp.required() })
    .required()
    .description('Messages of the calendar month in the time zone of the tenant'),
  paused_devices: Joi.array()
    .items(Ulid)
    .required()
    .description('Devices that are linked but kept offline because the plan allows fewer. The newest are paused first'),
}).meta({ title: 'Billing' });

export const PlanSchema = Joi.object<Plan>({
  name: Name.required().example('starter'),
  devices: count,
  messages: count.description('Per month'),
  send_per_minute: count.description('Sends per minute for each key'),
  key_cap: count.description('The highest number of requests per minute that a key may have'),
  keys: count,
  stores: count,
  ai_replies: count.description('Per month'),
  prices: Joi.object({ IDR: Amount.allow(null).required(), USD: Amount.allow(null).required() })
    .required()
    .description('Price per month; null if the plan is not sold in that currency'),
  overage: Joi.object({ IDR: Amount.required(), USD: Amount.required() })
    .allow(null)
    .required()
    .description('Price of 1,000 messages beyond the quota; null if sending stops at the quota'),
}).meta({ title: 'Plan' });
