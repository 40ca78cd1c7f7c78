import type { BillingCurrency, InvoiceRow, PaymentAttempt, ProviderId } from '../../../store/billing/invoices.ts';
import { amountIn } from '../../domain/billing/money.ts';
import type { PaymentFact } from '../../domain/billing/payment.ts';

export interface PaymentOrder {
  /** Our own unique reference. The provider creates only one page for it. */
  readonly ref: string;
  readonly invoice: InvoiceRow;
  readonly text: string;
  readonly lang: 'en' | 'id';
  readonly expiresAt: number;
  readonly returnUrl: string;
  readonly now: number;
}

export interface CreatedPayment {
  readonly providerId: string | null;
  readonly url: string;
  readonly expiresAt: number;
}

export interface AskedPayment {
  readonly status: string;
  readonly isFinal: boolean;
  readonly payments: readonly PaymentFact[];
}

export const PROVIDER_TIMEOUT_MS = 10_000;

export interface PaymentHook {
  readonly raw: Buffer;
  readonly header: (name: string) => string | undefined;
  readonly now: number;
}

export type HookSubject =
  | { readonly kind: 'ignored' }
  /** `page`: the provider's id of the page. Null if the webhook contains only our reference. */
  | { readonly kind: 'reference'; readonly ref: string; readonly page: string | null }
  | { readonly kind: 'payment'; readonly id: string };

export interface PaymentProvider {
  readonly id: ProviderId;
  readonly currencies: readonly BillingCurrency[];
  /** Whether a page can be found by our reference, even if the response to its creation was lost. */
  readonly goesByReference: boolean;
  create(order: PaymentOrder): Promise<CreatedPayment>;
  /** Absent if the provider cannot close a page. */
  end?(attempt: Pick<PaymentAttempt, 'provider_id'>): Promise<void>;
  ask(invoice: Pick<InvoiceRow, 'payments'>, attempt: Pick<PaymentAttempt, 'ref' | 'provider_id'>): Promise<AskedPayment>;
  verify(hook: PaymentHook): HookSubject | null | Promise<HookSubject | null>;
}

/** A provider's failure. The message never contains the request, because requests contain keys. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  /** Whether our reference was used before, so that a new one is needed. */
  readonly isUsed: boolean;

  constructor(message: string, isUsed = false) {
    super(message);
    this.isUsed = isUsed;
  }
}

export const textIn = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, MAX_TEXT) : '';

const MAX_TEXT = 200;
const MAX_UNREAD = 40;

export function paidIn(value: unknown): Pick<PaymentFact, 'amount' | 'unread'> {
  const amount = amountIn(value);
  const unread = typeof value === 'object' && value !== null ? 'no number' : String(value).slice(0, MAX_UNREAD);
  return amount === null ? { amount, unread } : { amount };
}

export const NOTHING: AskedPayment = { status: 'pending', isFinal: false, payments: [] };

const REFERENCE = /^[0-9A-HJKMNP-TV-Z]{26}(-\d{1,2})?$/;

export const isReference = (text: unknown): text is string => typeof text === 'string' && REFERENCE.test(text);

export const invoiceOf = (ref: string): string => ref.slice(0, 26);
