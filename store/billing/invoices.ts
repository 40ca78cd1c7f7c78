import type { Page } from '../accounts/tenants.ts';
import { olderThan } from '../paging/page.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import type { Collection, CollectionSpec, Doc, Store } from '../port.ts';

/** Amounts are integers in minor units of the currency. */
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
  /** The invoice's id, with `-<n>` appended for later payment pages. */
  readonly ref: string;
  /** Null if the id is not known yet, or if the provider uses our reference. */
  readonly provider_id: string | null;
  readonly url: string | null;
  /** The requested expiry time, so that a retry requests the same page. */
  readonly expires_at: number | null;
  /** Prevents other callers from requesting the payment page at the same time. */
  readonly asked_at: number;
}

export interface InvoicePayment {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly at: number;
  /** `credit`: a late or second payment. `rejected`: the payment does not match the invoice. */
  readonly became: 'settlement' | 'credit' | 'rejected';
  readonly reason: string | null;
  readonly refunded: number;
  readonly dispute: 'open' | 'won' | 'lost' | null;
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
  readonly month: string | null;
  readonly value: number;
  /** Account credit that an open invoice reserves and a paid one uses. */
  readonly held: number;
  readonly unused: number;
  /** The part of `unused` that exceeds the new plan's price. It becomes credit on payment. */
  readonly leftover: number;
  /** Unused time paid in the other currency. It becomes credit in that currency on payment. */
  readonly leftover_other?: number;
  /** The account's `basis` when the invoice was created, which shows whether its lines are still valid. */
  readonly basis: number;
  readonly attempts: readonly PaymentAttempt[];
  readonly payments: readonly InvoicePayment[];
  readonly rejected: boolean;
  /** True if the provider sent a notification but could not be queried. */
  readonly unverified: boolean;
  readonly period_start: number | null;
  readonly period_end: number | null;
  readonly created_at: number;
  readonly expires_at: number;
  readonly paid_at: number | null;
  /** The account's revision that wrote the row. An older revision never overwrites a newer one. */
  readonly rev: number;
}

export type Attention = 'open' | 'unverified' | 'rejected' | 'disputed';

export interface Invoices {
  find(tenantId: string, id: string): Promise<InvoiceRow | null>;
  locate(id: string): Promise<InvoiceRow | null>;
  byPayment(provider: ProviderId, paymentId: string): Promise<InvoiceRow | null>;
  list(tenantId: string, page: Page): AsyncIterable<InvoiceRow>;
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
