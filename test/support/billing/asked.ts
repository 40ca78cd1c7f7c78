import { newAccount } from '../../../actors/domain/billing/account.ts';
import { quoted } from '../../../actors/domain/billing/checkout.ts';
import { plansFrom } from '../../../actors/domain/plans.ts';
import type { AskedPayment, PaymentProvider } from '../../../actors/services/billing/provider.ts';
import type { InvoicePayment, InvoiceRow } from '../../../store/billing/invoices.ts';
import type { Page, ProviderDoubles } from './provider-doubles.ts';

export const REF = '01JD3X5Z8K9QW2E4R6T8Y0B1N3';
const NOW = Date.UTC(2026, 0, 10);

/** A payment that was taken before. */
export const SETTLED: InvoicePayment = {
  id: 'before',
  amount: 499_000,
  currency: 'IDR',
  at: NOW,
  became: 'settlement',
  reason: null,
  refunded: 0,
  dispute: null,
  evidence: '',
};

/** A payment page of a provider's double, and what the provider's driver makes of what is said about it. */
export async function aPageOf(provider: PaymentProvider, doubles: ProviderDoubles): Promise<Asking> {
  const [currency = 'IDR'] = provider.currencies;
  const plans = plansFrom({});
  const context = { now: NOW, zone: 'UTC', locale: 'en', currency, plans, taxRate: 0, newId: () => REF, providerFor: () => null } as const;
  const plan = plans.get('pro');
  if (!plan) throw new Error('no plan');
  const invoice = quoted(newAccount('t', 'free', currency), { plan, provider: provider.id, currency }, context);
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
  return {
    page: doubles.page(REF),
    invoice,
    ask: (payments = []) => provider.ask({ payments }, { ref: REF, provider_id: providerId }),
    async said(says, payments) {
      doubles.page(REF).says = says;
      const { payments: facts, isFinal, status } = await provider.ask({ payments: payments ?? [] }, { ref: REF, provider_id: providerId });
      const [fact] = facts;
      return fact ? { status, amount: fact.amount, refunded: fact.refunded, dispute: fact.dispute } : { status, isFinal };
    },
  };
}

export interface Asking {
  readonly page: Page;
  readonly invoice: InvoiceRow;
  ask(payments?: readonly InvoicePayment[]): Promise<AskedPayment>;
  /** What follows from these fields of an answer: money that came, or whether more may come. */
  said(says: Readonly<Record<string, unknown>>, payments?: readonly InvoicePayment[]): Promise<object>;
}
