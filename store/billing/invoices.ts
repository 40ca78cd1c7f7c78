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
  readonly amount: number;
}

export interface PaymentAttempt {
  /** Our unique reference: the id of the invoice, with `-<n>` appended for later pages. */
  readonly ref: string;
  /** null while unknown, or if the provider uses our reference. */
  readonly provider_id: string | null;
  /** null until the provider has responded. */
  readonly url: string | null;
  /** The requested expiry, so that a retry requests the same page. null in earlier versions. */
  readonly expires_at: number | null;
  /** When creation was requested, which keeps other callers from requesting it at the same time. */
  readonly asked_at: number;
}

export interface InvoicePayment {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly at: number;
  /** Credit (late or second payment), or rejected because it does not fit the invoice. */
  readonly became: 'settlement' | 'credit' | 'rejected';
  readonly reason: string | null;
  readonly refunded: number;
  readonly dispute: 'open' | 'won' | 'lost' | null;
  /** SHA-256 (hex) of the provider's response that proved the payment. */
  readonly evidence: string;
}

export interface InvoiceRow extends Doc {
  readonly tenant_id: string;
  readonly number: string | null;
  readonly kind: 'plan' | 'overage';
  readonly status: InvoiceStatus;
  readonly plan: string;
  readonly provider: ProviderId;
  readonly currency: BillingCurrency;
  readonly amount: number;
  readonly lines: readonly InvoiceLine[];
  /** For overage: the billed month (`YYYY-MM`). */
  readonly month: string | null;
  /** Value of the plan's line, from which unused days are credited pro rata. */
  readonly value: number;
  /** Account credit that the invoice reserves while open and uses when paid. */
  readonly held: number;
  /** Value of the former plan's unused days credited in its lines. */
  readonly unused: number;
  /** The part of `unused` above the price of the new plan, which becomes credit on payment. */
  readonly leftover: number;
  /** Unused time paid in the other currency; becomes credit in it on payment. */
  readonly leftover_other?: number;
  /** The account's `basis` at creation, which shows whether the lines are still valid. */
  readonly basis: number;
  readonly attempts: readonly PaymentAttempt[];
  readonly payments: readonly InvoicePayment[];
  readonly rejected: boolean;
  /** Whether the provider could not be queried when it sent a notification. */
  readonly unverified: boolean;
  readonly period_start: number | null;
  readonly period_end: number | null;
  readonly created_at: number;
  readonly expires_at: number;
  readonly paid_at: number | null;
  /** The account's revision that wrote the row: an older one never overwrites a newer one. */
  readonly rev: number;
}

export type Attention = 'open' | 'unverified' | 'rejected' | 'disputed';

export interface Invoices {
  find(tenantId: string, id: string): Promise<InvoiceRow | null>;
  /** Finds an invoice without its tenant, for providers and their pages. */
  locate(id: string): Promise<InvoiceRow | null>;
  byPayment(provider: ProviderId, paymentId: string): Promise<InvoiceRow | null>;
  list(tenantId: string, page: Page): AsyncIterable<InvoiceRow>;
  /** Writes the invoice unless the stored one has this or a later revision. */
  put(row: InvoiceRow): Promise<void>;
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
