import type { AskedPayment, PaymentProvider } from '../../../actors/services/billing/provider.ts';
import { NOTHING } from '../../../actors/services/billing/provider.ts';

/** A payment page at the till. */
export interface TillPage {
  readonly ref: string;
  readonly invoice: string;
  readonly tenant: string;
  readonly amount: number;
  readonly currency: string;
}

/** A payment received at the till. */
export interface Banked extends TillPage {
  readonly id: string;
  refunded: number;
}

/** A provider with its own bank: payments stay when a gateway process dies. */
export interface Till {
  readonly provider: PaymentProvider;
  bankedOf(tenant: string): readonly Banked[];
  pagesOf(tenant: string): readonly TillPage[];
  /** Pays a page. May be repeated. */
  pay(page: TillPage): void;
}

/** `isForgetful`: returns new names for its payments on each query. */
export function openTill(isForgetful = false): Till {
  const pages = new Map<string, TillPage>();
  const byTenant = new Map<string, TillPage[]>();
  const banked = new Map<string, Banked[]>();
  const byRef = new Map<string, Banked[]>();
  let [asked, paid] = [0, 0];
  return {
    bankedOf: (tenant) => banked.get(tenant) ?? [],
    pagesOf: (tenant) => byTenant.get(tenant) ?? [],
    pay(page) {
      paid += 1;
      const payment = { ...page, id: `pay-${paid}`, refunded: 0 };
      banked.set(page.tenant, [...(banked.get(page.tenant) ?? []), payment]);
      byRef.set(page.ref, [...(byRef.get(page.ref) ?? []), payment]);
    },
    provider: {
      id: 'sandbox',
      currencies: ['IDR', 'USD'],
      goesByReference: true,
      async create({ ref, invoice: { _id, tenant_id, amount, currency }, expiresAt }) {
        if (!pages.has(ref)) {
          const page = { ref, invoice: _id, tenant: tenant_id, amount, currency };
          pages.set(ref, page);
          byTenant.set(tenant_id, [...(byTenant.get(tenant_id) ?? []), page]);
        }
        return { providerId: null, url: `https://till.example/${ref}`, expiresAt };
      },
      async ask(_invoice, { ref }) {
        asked += 1;
        return said(byRef.get(ref) ?? [], isForgetful ? `-${asked}` : '');
      },
      verify: () => null,
    },
  };
}

function said(payments: readonly Banked[], suffix: string): AskedPayment {
  if (payments.length === 0) return NOTHING;
  const facts = payments.map(({ id, amount, currency, refunded }) => ({
    ...{ id: id + suffix, amount, currency, refunded },
    ...{ isOurs: true, dispute: null, evidence: '' },
  }));
  return { status: 'paid', isFinal: true, payments: facts };
}
