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

/** Paid time replaced by another plan. Its payments may be refunded one by one. */
export interface ReplacedTime {
  readonly invoice: string;
  /** The invoice that the credit paid for; null if it became account credit. */
  readonly by: string | null;
  readonly currency: BillingCurrency;
  readonly worth: number;
  /** Refunded amount that could not be deducted from the credit; absent if there is none. */
  readonly owed?: number;
}

export interface Poll {
  readonly invoice: string;
  readonly count: number;
  readonly at: number;
  /** Since when the checks have failed; absent if the last check succeeded. */
  readonly failing_since?: number;
}

/** The month whose overage is not billed yet, counted daily because the log may be trimmed. */
export interface Metered {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly plan: string;
  /** Messages sent before this time (epoch ms) are counted. */
  readonly until: number;
  readonly sent: number;
}

export interface OpenInvoice {
  readonly invoice: string;
  readonly expires_at: number;
}

/** A text in both languages; the tenant's setting selects one. */
export interface BothLanguages {
  readonly en: string;
  readonly id: string;
}

/** A side effect of an account change. Each can be repeated. */
export type BillingOutboxItem =
  | { readonly kind: 'invoice'; readonly row: InvoiceRow }
  /** Updates devices, limits and logins. `rev`: an older item never overwrites a newer one. */
  | { readonly kind: 'plan'; readonly plan: string; readonly rev: number }
  | {
      readonly kind: 'event';
      readonly type: 'invoice.paid' | 'invoice.refunded' | 'invoice.disputed' | 'plan.changed' | 'quota.warning';
      readonly row: string;
      readonly at: number;
      readonly data: Readonly<Record<string, unknown>>;
    }
  /** A message to the owner's phone, dropped after `until`. `{number}` and `{link}` are placeholders. */
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

/** Paid periods and debts of a tenant, changed by one guarded write at a time. Times in epoch ms. */
export interface AccountRow extends Doc {
  /** Revision: a write based on an older revision has no effect. */
  readonly rev: number;
  readonly plan: string;
  readonly funding: readonly Funding[];
  /** The most recently replaced time; absent in rows of earlier versions. */
  readonly replaced?: readonly ReplacedTime[];
  readonly period: { readonly start: number; readonly end: number } | null;
  readonly anchor: number;
  /** IANA time zone of `anchor`, kept when the tenant's time zone changes. Absent in earlier versions. */
  readonly anchor_zone?: string;
  /** End of the grace period, before which an unpaid account does not become `free`. */
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
  /** How many days before the end of the current period the last reminder was sent; null if none was sent. */
  readonly reminded: number | null;
  /** The last quota warning, and the quota (messages) at that time. */
  readonly warned: { readonly month: string; readonly level: number; readonly limit: number } | null;
  readonly metered: Metered | null;
  readonly polls: readonly Poll[];
  readonly outbox: readonly BillingOutboxItem[];
  readonly retry_at: number | null;
  /** When work is due; null if no work is scheduled. */
  readonly due_at: number | null;
  readonly has_credit: boolean;
}

export interface Accounts {
  find(tenantId: string): Promise<AccountRow | null>;
  /** Writes the next revision. Returns false, without a change, if another write was first. */
  save(row: AccountRow): Promise<boolean>;
  /** Replaces the outbox of revision `rev`; does nothing if the account changed since. */
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
