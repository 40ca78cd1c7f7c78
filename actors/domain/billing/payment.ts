import type { AccountRow, BillingOutboxItem } from '../../../store/billing/accounts.ts';
import type { InvoicePayment, InvoiceRow } from '../../../store/billing/invoices.ts';

/** A payment as its provider reports it. */
export interface PaymentFact {
  readonly id: string;
  /** What was paid for the invoice, without fees that the provider put on the customer. Null: the provider names no whole amount from 0. */
  readonly amount: number | null;
  /** What it names instead, as text. */
  readonly unread?: string;
  readonly currency: string;
  /** The provider's record names our reference. */
  readonly isOurs: boolean;
  /** A whole number from 0. */
  readonly refunded: number;
  readonly dispute: InvoicePayment['dispute'];
  readonly evidence: string;
}

/** When the plan ends that a refunded payment bought. */
export type RefundEnds = 'now' | 'period_end';

/** An account and an invoice while payments are applied to them. */
export interface Working {
  readonly account: AccountRow;
  readonly invoice: InvoiceRow;
  readonly outbox: readonly BillingOutboxItem[];
}
