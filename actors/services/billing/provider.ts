import type { BillingCurrency, InvoiceRow, PaymentAttempt, ProviderId } from '../../../store/billing/invoices.ts';
import { amountIn } from '../../domain/billing/money.ts';
import type { PaymentFact } from '../../domain/billing/payment.ts';

/** A payment page to be made. */
export interface PaymentOrder {
  /** Ours, unique. The same order twice makes one page. */
  readonly ref: string;
  readonly invoice: InvoiceRow;
  readonly text: string;
  readonly lang: 'en' | 'id';
  /** Epoch ms. */
  readonly expiresAt: number;
  /** Where the provider sends the customer afterwards. */
  readonly returnUrl: string;
  readonly now: number;
}

export interface CreatedPayment {
  /** Null: the provider goes by our reference. */
  readonly providerId: string | null;
  readonly url: string;
  readonly expiresAt: number;
}

/** What a provider says when it is asked. */
export interface AskedPayment {
  /** The provider's own word for it. */
  readonly status: string;
  /** Nothing more will come of it. */
  readonly isFinal: boolean;
  /** Money that it received. */
  readonly payments: readonly PaymentFact[];
}

/** Providers answer within that, or are given up. */
export const PROVIDER_TIMEOUT_MS = 10_000;

/** A provider's call, as it came. */
export interface PaymentHook {
  readonly raw: Buffer;
  readonly header: (name: string) => string | undefined;
  /** Epoch ms. */
  readonly now: number;
}

/** What a genuine call is about. Nothing else of it is believed. */
export type HookSubject =
  | { readonly kind: 'ignored' }
  /** `page`: the provider's own id of it, which may not be stored yet; null: it goes by our reference. */
  | { readonly kind: 'reference'; readonly ref: string; readonly page: string | null }
  | { readonly kind: 'payment'; readonly id: string };

/** A till. Implementations: midtrans.ts, xendit.ts, stripe.ts, sandbox-provider.ts. */
export interface PaymentProvider {
  readonly id: ProviderId;
  readonly currencies: readonly BillingCurrency[];
  /** It can be asked about a page whose making it never answered. */
  readonly goesByReference: boolean;
  /** Rejects with ProviderFailure. */
  create(order: PaymentOrder): Promise<CreatedPayment>;
  /** Ends a page, so that nothing can be paid on it. Absent: the provider has no such call. Rejects with ProviderFailure. */
  end?(attempt: Pick<PaymentAttempt, 'provider_id'>): Promise<void>;
  /** Asks about one page by what is stored of it. Rejects with ProviderFailure. */
  ask(invoice: Pick<InvoiceRow, 'payments'>, attempt: Pick<PaymentAttempt, 'ref' | 'provider_id'>): Promise<AskedPayment>;
  /** Null: it is not the provider's, and nothing in it is. */
  verify(hook: PaymentHook): HookSubject | null | Promise<HookSubject | null>;
}

/** A provider that does not answer as it should. Its text never carries what was sent: keys are in there. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  /** Our reference was used before: another one has to be made. */
  readonly isUsed: boolean;

  constructor(message: string, isUsed = false) {
    super(message);
    this.isUsed = isUsed;
  }
}

/** A text or number of a provider's answer, as text of at most 200 characters; '' for anything else. */
export const textIn = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, MAX_TEXT) : '';

const MAX_TEXT = 200;
const MAX_UNREAD = 40;

/** What a provider names as the amount that was paid. */
export function paidIn(value: unknown): Pick<PaymentFact, 'amount' | 'unread'> {
  const amount = amountIn(value);
  const unread = typeof value === 'object' && value !== null ? 'no number' : String(value).slice(0, MAX_UNREAD);
  return amount === null ? { amount, unread } : { amount };
}

/** Nobody paid yet, and no page is known. */
export const NOTHING: AskedPayment = { status: 'pending', isFinal: false, payments: [] };

const REFERENCE = /^[0-9A-HJKMNP-TV-Z]{26}(-\d{1,2})?$/;

/** Could it be one of ours? */
export const isReference = (text: unknown): text is string => typeof text === 'string' && REFERENCE.test(text);

export const invoiceOf = (ref: string): string => ref.slice(0, 26);
