import { type Collection, type CollectionSpec, type Doc, isDuplicateKey, type Store } from '../port.ts';
import type { BillingCurrency, InvoiceRow, ProviderId } from './invoices.ts';

/** Time of a plan that a paid invoice bought. */
export interface Funding {
  readonly invoice: string;
  readonly plan: string;
  readonly start: number;
  readonly end: number;
  readonly value: number;
  readonly currency: BillingCurrency;
}

/** Paid time that another plan took the place of, and whose unused days were given back. Their payments may go back one by one. */
export interface ReplacedTime {
  readonly invoice: string;
  /** The invoice that it paid for; null: it became credit. */
  readonly by: string | null;
  readonly currency: BillingCurrency;
  /** What was given back. */
  readonly worth: number;
  /** So much of this, or of time before it, could not be taken from the credit when the payment for it went back; absent: nothing. */
  readonly owed?: number;
}

/** An invoice whose payment may come without anybody telling: when its provider is asked next. */
export interface Poll {
  readonly invoice: string;
  /** How often it was asked. */
  readonly count: number;
  readonly at: number;
  /** Since when it could not be asked; absent: the last time it could. */
  readonly failing_since?: number;
}

/** The month whose overage is not billed yet. It is counted day by day: the log may be cut before the month is over. */
export interface Metered {
  /** `YYYY-MM`. */
  readonly month: string;
  /** The largest plan with overage that it saw. */
  readonly plan: string;
  /** What was sent before then (epoch ms) is counted. */
  readonly until: number;
  /** How many messages that is. */
  readonly sent: number;
}

export interface OpenInvoice {
  readonly invoice: string;
  readonly expires_at: number;
}

/** A text in both languages; which one it is sent in is the tenant's choice. */
export interface BothLanguages {
  readonly en: string;
  readonly id: string;
}

/** What follows from a change of an account; each can be repeated. */
export type BillingOutboxItem =
  | { readonly kind: 'invoice'; readonly row: InvoiceRow }
  /** Its devices, limits and logins follow. `rev`: an older one never overwrites a newer one. */
  | { readonly kind: 'plan'; readonly plan: string; readonly rev: number }
  | {
      readonly kind: 'event';
      readonly type: 'invoice.paid' | 'invoice.refunded' | 'invoice.disputed' | 'plan.changed' | 'quota.warning';
      readonly row: string;
      readonly at: number;
      readonly data: Readonly<Record<string, unknown>>;
    }
  /** To the owner's phone, from the platform's sender; given up after `until`. `{number}` and `{link}` are filled in when it is sent. */
  | {
      readonly kind: 'message';
      readonly key: string;
      readonly text: BothLanguages;
      readonly invoice: string | null;
      readonly until: number;
    }
  | {
      readonly kind: 'audit';
      /** A ULID: the entry's. */
      readonly key: string;
      readonly action: string;
      readonly at: number;
      readonly target: string;
      readonly changes: readonly { readonly field: string; readonly from: string | number | null; readonly to: string | number | null }[];
    };

/** What a tenant has paid for and owes: changed only by one guarded write at a time. Times are epoch ms. */
export interface AccountRow extends Doc {
  /** Counts its changes: a write that starts from an older one changes nothing. */
  readonly rev: number;
  readonly plan: string;
  /** Paid time that is not over, in order, without gaps. */
  readonly funding: readonly Funding[];
  /** The last of what was replaced; absent: an earlier version did not store that. */
  readonly replaced?: readonly ReplacedTime[];
  /** The paid period that is running, or was the last. */
  readonly period: { readonly start: number; readonly end: number } | null;
  /** Day of the month on which periods begin. */
  readonly anchor: number;
  /** IANA: the zone in which that is the day; it stays when the tenant's changes. Absent: stored by an earlier version. */
  readonly anchor_zone?: string;
  /** Unpaid, and not `free` before then. */
  readonly grace_until: number | null;
  readonly cancel_at_period_end: boolean;
  readonly pending_plan: string | null;
  readonly credit: Readonly<Record<BillingCurrency, number>>;
  readonly currency: BillingCurrency;
  readonly provider: ProviderId | null;
  /** The one invoice for a plan that is open. */
  readonly open: OpenInvoice | null;
  /** Open invoices for overage. */
  readonly owing: readonly OpenInvoice[];
  /** Those of them that were not paid in time. */
  readonly overdue: readonly string[];
  readonly disputed: readonly string[];
  /** Raised when what an invoice's lines rest on changes. */
  readonly basis: number;
  /** Of the running period: days before its end that were reminded of last; null: none. */
  readonly reminded: number | null;
  /** The last warning about the quota, and the quota (messages) that it was of. */
  readonly warned: { readonly month: string; readonly level: number; readonly limit: number } | null;
  readonly metered: Metered | null;
  readonly polls: readonly Poll[];
  readonly outbox: readonly BillingOutboxItem[];
  /** What is in the outbox could not be done, and is tried again then. */
  readonly retry_at: number | null;
  /** When something is to be done; null: nothing. */
  readonly due_at: number | null;
  /** It has credit. */
  readonly has_credit: boolean;
}

export interface Accounts {
  find(tenantId: string): Promise<AccountRow | null>;
  /** Writes the next revision; false: somebody else wrote it first, and nothing changed. */
  save(row: AccountRow): Promise<boolean>;
  /** What was in the outbox at `rev` is done but for `rest`; changes nothing where more came since. */
  outboxDone(tenantId: string, rev: number, rest: Pick<AccountRow, 'outbox' | 'retry_at' | 'due_at'>): Promise<boolean>;
  /** Tenants with something to do. */
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
