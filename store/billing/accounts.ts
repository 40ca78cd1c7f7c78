import { type Collection, type CollectionSpec, type Doc, isDuplicateKey, type Store } from '../port.ts';
import type { BillingCurrency, InvoiceRow, ProviderId } from './invoices.ts';

export interface Funding {
  readonly invoice: string;
  readonly plan: string;
  readonly start: number;
  readonly end: number;
  readonly value: number;
  readonly currency: BillingCurrency;
}

export interface ReplacedTime {
  readonly invoice: string;
  /** The invoice that was paid with the credit; null if the payment became account credit. */
  readonly by: string | null;
  readonly currency: BillingCurrency;
  readonly worth: number;
  /** The part of a refund that could not be deducted from the credit. */
  readonly owed?: number;
}

export interface Poll {
  readonly invoice: string;
  readonly count: number;
  readonly at: number;
  readonly failing_since?: number;
}

/** The month whose overage has not been billed yet. It is counted daily, because the log may be trimmed. */
export interface Metered {
  readonly month: string;
  readonly plan: string;
  readonly until: number;
  readonly sent: number;
}

export interface OpenInvoice {
  readonly invoice: string;
  readonly expires_at: number;
}

export interface BothLanguages {
  readonly en: string;
  readonly id: string;
}

/** A side effect of an account change. Each can safely be repeated. */
export type BillingOutboxItem =
  | { readonly kind: 'invoice'; readonly row: InvoiceRow }
  /** An older `rev` never overwrites a newer one. */
  | { readonly kind: 'plan'; readonly plan: string; readonly rev: number }
  | {
      readonly kind: 'event';
      readonly type: 'invoice.paid' | 'invoice.refunded' | 'invoice.disputed' | 'plan.changed' | 'quota.warning';
      readonly row: string;
      readonly at: number;
      readonly data: Readonly<Record<string, unknown>>;
    }
  /** A message, which is dropped after `until`. `{number}` and `{link}` are replaced in its text. */
  | {
      readonly kind: 'message';
      readonly key: string;
      readonly text: BothLanguages;
      readonly invoice: string | null;
      readonly until: number;
    }
  | {
      readonly kind: 'audit';
      readonly key: string;
      readonly action: string;
      readonly at: number;
      readonly target: string;
      readonly changes: readonly { readonly field: string; readonly from: string | number | null; readonly to: string | number | null }[];
    };

export interface AccountRow extends Doc {
  /** A write that is based on an older revision has no effect. */
  readonly rev: number;
  readonly plan: string;
  readonly funding: readonly Funding[];
  readonly replaced?: readonly ReplacedTime[];
  readonly period: { readonly start: number; readonly end: number } | null;
  readonly anchor: number;
  /** IANA time zone of `anchor`. It does not change with the tenant's time zone. */
  readonly anchor_zone?: string;
  /** An unpaid account does not return to `free` before this time. */
  readonly grace_until: number | null;
  readonly cancel_at_period_end: boolean;
  readonly pending_plan: string | null;
  readonly credit: Readonly<Record<BillingCurrency, number>>;
  readonly currency: BillingCurrency;
  readonly provider: ProviderId | null;
  readonly open: OpenInvoice | null;
  readonly owing: readonly OpenInvoice[];
  readonly overdue: readonly string[];
  readonly disputed: readonly string[];
  readonly basis: number;
  /** Number of days before the period's end at which the last reminder was sent. */
  readonly reminded: number | null;
  readonly warned: { readonly month: string; readonly level: number; readonly limit: number } | null;
  readonly metered: Metered | null;
  readonly polls: readonly Poll[];
  readonly outbox: readonly BillingOutboxItem[];
  readonly retry_at: number | null;
  readonly due_at: number | null;
  readonly has_credit: boolean;
}

export interface Accounts {
  find(tenantId: string): Promise<AccountRow | null>;
  save(row: AccountRow): Promise<boolean>;
  outboxDone(tenantId: string, rev: number, rest: Pick<AccountRow, 'outbox' | 'retry_at' | 'due_at'>): Promise<boolean>;
  due(now: number, limit: number): Promise<readonly string[]>;
  withCredit(limit: number): Promise<AccountRow[]>;
}

const spec: CollectionSpec = {
  name: 'billing_accounts',
  indexes: [
    { name: 'due', keys: { due_at: 1 }, where: { due_at: { $gte: 0 } } },
    { name: 'with_credit', keys: { _id: 1 }, where: { has_credit: true } },
  ],
};

export function accountsIn(store: Store): Accounts {
  const accounts: Collection<AccountRow> = store.collection<AccountRow>(spec);

  return {
    find: (_id) => accounts.findOne({ _id }),

    async save({ _id, ...fields }) {
      if (fields.rev > 1) return (await accounts.updateOne({ _id, rev: fields.rev - 1 }, { $set: fields })).matchedCount === 1;
      try {
        await accounts.insertOne({ _id, ...fields });
        return true;
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        return false;
      }
    },

    outboxDone: async (_id, rev, rest) => (await accounts.updateOne({ _id, rev }, { $set: rest })).matchedCount === 1,

    due: async (now, limit) =>
      (await accounts.find({ due_at: { $gte: 0, $lte: now } }, { sort: { due_at: 1 }, limit, projection: { _id: 1 } }).toArray()).map(
        ({ _id }) => _id,
      ),

    withCredit: (limit) => accounts.find({ has_credit: true }, { sort: { _id: 1 }, limit }).toArray(),
  };
}
