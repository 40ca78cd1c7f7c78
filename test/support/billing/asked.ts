import { newAccount } from '../../../actors/domain/billing/account.ts';
import { quoted } from '../../../actors/domain/billing/checkout.ts';
import { planOf, plansFrom } from '../../../actors/domain/plans.ts';
import type { AskedPayment, PaymentProvider } from '../../../actors/services/billing/provider.ts';
import type { BillingCurrency, InvoicePayment, InvoiceRow, ProviderId } from '../../../store/billing/invoices.ts';
import type { Page, ProviderDoubles } from './provider-doubles.ts';

export const REF = '01JD3X5Z8K9QW2E4R6T8Y0B1N3';
const NOW = Date.UTC(2026, 0, 10);

/** A payment that was already received on the page of the Midtrans double. */
export const SETTLED: InvoicePayment = {
  id: `tx-${REF}`,
  amount: 499_000,
  currency: 'IDR',
  at: NOW,
  became: 'settlement',
  reason: null,
  refunded: 0,
  dispute: null,
  evidence: '',
};

/** Returns an open invoice for a month of the plan `pro`. */
export function anInvoice(provider: ProviderId, currency: BillingCurrency): InvoiceRow {
  const plans = plansFrom({});
  const context = { now: NOW, zone: 'UTC', locale: 'en', currency, plans, taxRate: 0, newId: () => REF, providerFor: () => null } as const;
  return quoted(newAccount('t', 'free', currency), { plan: planOf(plans, 'pro'), provider, currency }, context);
}

/** Opens a payment page at a provider's double, and returns how the provider's driver interprets responses about it. */
export async function aPageOf(provider: PaymentProvider, doubles: ProviderDoubles): Promise<Asking> {
  const invoice = anInvoice(provider.id, provider.currencies[0] ?? 'IDR');
  const order = {
    ref: REF,
    invoice,
    text: 'pro',
    lang: 'en',
    expiresAt: NOW + 3_600_000,
    returnUrl: 'https://a.example',
    now: NOW,
  } as const;
  const { providerId } = await provider.create(order);
  const ask: Asking['ask'] = (payments = []) => provider.ask({ payments }, { ref: REF, provider_id: providerId });
  return {
    page: doubles.page(REF),
    ask,
    async said(says, payments) {
      doubles.page(REF).says = says;
      const { payments: facts, isFinal, status } = await ask(payments);
      const [fact] = facts;
      return fact ? { status, amount: fact.amount, refunded: fact.refunded, dispute: fact.dispute } : { status, isFinal };
    },
  };
}

export interface Asking {
  readonly page: Page;
  ask(payments?: readonly InvoicePayment[]): Promise<AskedPayment>;
  /** Returns the interpretation of a response with these fields: received payments, or whether more may follow. */
  said(says: Readonly<Record<string, unknown>>, payments?: readonly InvoicePayment[]): Promise<object>;
}
