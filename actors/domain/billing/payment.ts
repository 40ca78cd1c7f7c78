import type { AccountRow, BillingOutboxItem } from '../../../store/billing/accounts.ts';
import type { InvoicePayment, InvoiceRow } from '../../../store/billing/invoices.ts';

/** A payment as its provider reports it. */
export interface PaymentFact {
  readonly id: string;
  /**
   * Amount paid for the invoice, without fees that the provider charged the customer; null when the
   * provider reports no whole amount from 0.
   */
  readonly amount: number | null;
  /** The provider's unreadable amount, as text. */
  readonly unread?: string;
  readonly currency: string;
  /** Whether the provider's record contains our reference. */
  readonly isOurs: boolean;
  /** A whole number from 0. */
  readonly refunded: number;
  readonly dispute: InvoicePayment['dispute'];
  readonly evidence: string;
}

/** When a plan ends after its payment was refunded. */
export type RefundEnds = 'now' | 'period_end';

/** An account and an invoice while payments are applied to them. */
export interface Working {
  readonly account: AccountRow;
  readonly invoice: InvoiceRow;
  readonly outbox: readonly BillingOutboxItem[];
}
