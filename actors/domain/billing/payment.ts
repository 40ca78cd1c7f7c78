import type { AccountRow, BillingOutboxItem } from '../../../store/billing/accounts.ts';
import type { InvoicePayment, InvoiceRow } from '../../../store/billing/invoices.ts';

export interface PaymentFact {
  readonly id: string;
  /** Excludes fees that the customer paid. Null if the provider reports no valid amount. */
  readonly amount: number | null;
  readonly unread?: string;
  readonly currency: string;
  readonly isOurs: boolean;
  readonly refunded: number;
  readonly dispute: InvoicePayment['dispute'];
  readonly evidence: string;
}

export type RefundEnds = 'now' | 'period_end';

export interface Working {
  readonly account: AccountRow;
  readonly invoice: InvoiceRow;
  readonly outbox: readonly BillingOutboxItem[];
}
