import type { Page } from '../accounts/tenants.ts';
import { olderThan } from '../paging/page.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import type { Collection, CollectionSpec, Doc, Store } from '../port.ts';

/** Amounts are integers in minor units of the currency; times are epoch ms. */
export type BillingCurrency = 'IDR' | 'USD';

export type ProviderId = 'midtrans' | 'xendit' | 'stripe' | 'sandbox';

export type InvoiceStatus = 'open' | 'paid' | 'expired' | 'void' | 'refunded' | 'disputed';

export interface InvoiceLine {
  readonly kind: 'plan' | 'credit' | 'overage' | 'tax';
  readonly text: string;
  readonly quantity: number;
  /** Of the whole line; negative: a credit. */
  readonly amount: number;
}

/** One payment page of an invoice at its provider. */
export interface PaymentAttempt {
  /** Our own reference, unique: the invoice's id, of later pages with `-<n>` behind it. */
  readonly ref: string;
  /** The provider's id of the page; null: not known (yet), or the provider goes by our reference. */
  readonly provider_id: string | null;
  /** Null: the provider did not answer yet. */
  readonly url: string | null;
  /** As it is asked for, so that asking again asks for the same page. Null: an earlier version did not store that. */
  readonly expires_at: number | null;
  /** When the provider was asked to make it: nobody else asks at the same time. */
  readonly asked_at: number;
}

/** Money that a provider says it received for an invoice. */
export interface InvoicePayment {
  /** The provider's id of the payment. */
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly at: number;
  /** What it did: paid the invoice; became credit (late, or a second one); or does not fit the invoice and did nothing. */
  readonly became: 'settlement' | 'credit' | 'rejected';
  readonly reason: string | null;
  readonly refunded: number;
  readonly dispute: 'open' | 'won' | 'lost' | null;
  /** SHA-256 (hex) of the provider's answer that proved it. */
  readonly evidence: string;
}

export interface InvoiceRow extends Doc {
  readonly tenant_id: string;
  /** Given when it is paid. */
  readonly number: string | null;
  readonly kind: 'plan' | 'overage';
  readonly status: InvoiceStatus;
  readonly plan: string;
  readonly provider: ProviderId;
  readonly currency: BillingCurrency;
  readonly amount: number;
  readonly lines: readonly InvoiceLine[];
  /** Of an overage: the month (`YYYY-MM`) that it is for. */
  readonly month: string | null;
  /** What the plan's line is worth: unused days of it are given back in parts of this. */
  readonly value: number;
  /** Credit of the account that it holds while it is open, and uses when it is paid. */
  readonly held: number;
  /** The former plan's unused days that its lines give back. */
  readonly unused: number;
  /** What of them is more than the new plan costs: becomes credit when it is paid. */
  readonly leftover: number;
  /** What is unused of time that was paid for in the other currency: becomes credit in that one when it is paid. */
  readonly leftover_other?: number;
  /** The account's `basis` when it was made: whether its lines still hold. */
  readonly basis: number;
  readonly attempts: readonly PaymentAttempt[];
  readonly payments: readonly InvoicePayment[];
  /** A payment came that does not fit. */
  readonly rejected: boolean;
  /** The provider could not be asked when it called. */
  readonly unverified: boolean;
  readonly period_start: number | null;
  readonly period_end: number | null;
  readonly created_at: number;
  readonly expires_at: number;
  readonly paid_at: number | null;
  /** The account's revision that wrote it: older ones never overwrite newer ones. */
  readonly rev: number;
}

/** What the operator has to look at. */
export type Attention = 'open' | 'unverified' | 'rejected' | 'disputed';

export interface Invoices {
  find(tenantId: string, id: string): Promise<InvoiceRow | null>;
  /** Whose it is, for those who have nothing but an invoice's id: providers and their pages. */
  locate(id: string): Promise<InvoiceRow | null>;
  byPayment(provider: ProviderId, paymentId: string): Promise<InvoiceRow | null>;
  /** Newest first. */
  list(tenantId: string, page: Page): AsyncIterable<InvoiceRow>;
  /** Writes it as it is at `row.rev`; one of that or a later revision stays. */
  put(row: InvoiceRow): Promise<void>;
  /** Newest first, at most `limit`. */
  needing(what: Attention, limit: number): Promise<InvoiceRow[]>;
}

const NEWEST = { created_at: -1, _id: -1 } as const;
const ATTENTION = {
  open: { status: 'open' },
  unverified: { unverified: true },
  rejected: { rejected: true },
  disputed: { status: 'disputed' },
} as const;

const spec: CollectionSpec = {
  name: 'invoices',
  indexes: [
    { name: 'by_tenant', keys: { tenant_id: 1, ...NEWEST } },
    ...Object.entries(ATTENTION).map(([name, where]) => ({ name, keys: NEWEST, where })),
  ],
};

/** Which invoice a provider's payment is for. */
interface PaymentRow extends Doc {
  readonly invoice: string;
}

const paymentSpec: CollectionSpec = { name: 'invoice_payments', indexes: [] };
const paymentId = (provider: ProviderId, id: string): string => `${provider}:${id}`;

export function invoicesIn(store: Store): Invoices {
  const invoices: Collection<InvoiceRow> = store.collection<InvoiceRow>(spec);
  const payments: Collection<PaymentRow> = store.collection<PaymentRow>(paymentSpec);

  return {
    find: (tenant_id, _id) => invoices.findOne({ _id, tenant_id }),
    locate: (_id) => invoices.findOne({ _id }),
    async byPayment(provider, id) {
      const payment = await payments.findOne({ _id: paymentId(provider, id) });
      return payment && invoices.findOne({ _id: payment.invoice });
    },
    list: (tenant_id, page) => invoices.find({ tenant_id, ...olderThan(page) }, { sort: NEWEST, limit: page.limit }),

    async put({ _id, ...fields }) {
      await insertedOf(
        payments,
        fields.payments.map(({ id }) => ({ _id: paymentId(fields.provider, id), invoice: _id })),
      );
      if ((await invoices.updateOne({ _id, rev: { $lt: fields.rev } }, { $set: fields })).matchedCount === 1) return;
      await insertedOf(invoices, [{ _id, ...fields }]);
    },

    needing: (what, limit) => invoices.find(ATTENTION[what], { sort: NEWEST, limit }).toArray(),
  };
}
