import { entry } from '../../../runtime/invariant.ts';
import type { AccountRow } from '../../../store/billing/accounts.ts';
import type { BillingCurrency, InvoiceRow, ProviderId } from '../../../store/billing/invoices.ts';
import { type Change, moved, planChanged, unchanged, withCredit, written } from '../../domain/billing/account.ts';
import { cancelled, isForLater, opened, quoted, resumed, scheduled, withoutHold } from '../../domain/billing/checkout.ts';
import { CURRENCIES, usable } from '../../domain/billing/money.ts';
import { freed, refunded } from '../../domain/billing/refund.ts';
import { unusedOf, withReplaced } from '../../domain/billing/unused-days.ts';
import type { Plan, Plans } from '../../domain/plans.ts';
import { type Fault, inStatus, invalid, refusal } from '../../domain/refusals.ts';
import type { Ledger, Loaded } from './ledger.ts';
import { endPages, type PaymentPageDeps, withPage } from './payment-page.ts';
import type { PaymentProvider } from './provider.ts';

/**
 * Changes a tenant's plan: checkout, cancellation, resumption, and grants or refunds by the
 * operator. A decision is based on the account that the ledger loaded (ledger.ts), and is made
 * again if the account has changed since then. Invariant: at most one invoice is open for checkout.
 * When an invoice is replaced, its payment pages are closed.
 */

export interface BillingDeps extends PaymentPageDeps {
  readonly ledger: Ledger;
  readonly providers: ReadonlyMap<ProviderId, PaymentProvider>;
  readonly plans: Plans;
  countCheckout(tenantId: string, now: number): Promise<void>;
}

export interface CheckoutOrder {
  readonly plan: string;
  readonly provider: string;
  readonly currency?: BillingCurrency | undefined;
  readonly isPreview: boolean;
}

export interface CheckedOut {
  /** Null if the new plan is cheaper and therefore starts at the end of the period. */
  readonly invoice: InvoiceRow | null;
  readonly isNew: boolean;
}

/**
 * Fails with VALIDATION_FAILED, CURRENCY_NOT_SUPPORTED, CONFLICT (free to free), RATE_LIMITED or
 * PROVIDER_UNAVAILABLE.
 */
export async function checkout(deps: BillingDeps, tenantId: string, order: CheckoutOrder): Promise<CheckedOut> {
  const loaded = await deps.ledger.load(tenantId);
  const { plan, provider, currency } = chosen(deps, order, loaded);
  const begins = (now: Loaded): 'later' | 'now' =>
    plan.name === 'free' || isForLater(now.account, plan, currency, now.context) ? 'later' : 'now';
  const same = sameOpen(loaded, plan, provider, currency);
  if (order.isPreview) {
    if (begins(loaded) === 'later') return LATER;
    const open = openOf(loaded);
    return {
      invoice: same ?? quoted(withoutHold(loaded.account, open), { plan, provider, currency }, loaded.context),
      isNew: false,
    };
  }
  if (!same && begins(loaded) === 'now') await deps.countCheckout(tenantId, loaded.context.now);
  let [id, isNew] = ['', false];
  // Decide again, because a more expensive plan may have been paid for since the account was read.
  const { pagesEnded } = await changed(deps, tenantId, (now) => {
    if (begins(now) === 'later') {
      id = '';
      return later(now, plan);
    }
    const again = sameOpen(now, plan, provider, currency);
    if (again) {
      [id, isNew] = [again._id, false];
      return unchanged(now.account);
    }
    const open = openOf(now);
    const invoice = quoted(withoutHold(now.account, open), { plan, provider, currency }, now.context);
    [id, isNew] = [invoice._id, true];
    return opened(now.account, invoice, open, now.context);
  });
  if (id === '') return pagesEnded.then(() => LATER);
  const [invoice] = await Promise.all([withPage(deps, tenantId, id), pagesEnded]);
  return { invoice, isNew };
}

interface Changed {
  readonly loaded: Loaded;
  readonly pagesEnded: Promise<void>;
}

async function changed(deps: BillingDeps, tenantId: string, decide: (now: Loaded) => Change): Promise<Changed> {
  const open = new Map<'before', InvoiceRow | null>();
  const loaded = await deps.ledger.change(tenantId, [], (now) => {
    open.set('before', openOf(now));
    return decide(now);
  });
  const before = open.get('before') ?? null;
  const isReplaced = before !== null && before._id !== loaded.account.open?.invoice;
  return { loaded, pagesEnded: isReplaced ? endPages(deps, before) : Promise.resolve() };
}

const LATER: CheckedOut = { invoice: null, isNew: false };

function later(now: Loaded, plan: Plan): Change {
  if (now.account.plan === 'free')
    throw refusal('CONFLICT', { reason: { en: 'the account is already on the free plan', id: 'akun sudah memakai paket free' } });
  return scheduled(now.account, plan.name, openOf(now));
}

function chosen({ plans, providers }: BillingDeps, order: CheckoutOrder, { context: { currency: tenantCurrency } }: Loaded) {
  const plan = plans.get(order.plan);
  const provider = [...providers.values()].find(({ id }) => id === order.provider);
  if (!plan || !provider)
    throw invalid([
      ...(plan ? [] : [unknown('plan', [...plans.keys()])]),
      ...(provider ? [] : [unknown('provider', [...providers.keys()])]),
    ]);
  const currency = order.currency ?? tenantCurrency;
  if (!provider.currencies.includes(currency) || plan.prices[currency] === null) throw refusal('CURRENCY_NOT_SUPPORTED');
  return { plan, provider: provider.id, currency };
}

function unknown(path: string, known: readonly string[]): Fault {
  const names = known.join(', ');
  return { path, en: `${path} is not one of ${names}`, id: `${path} bukan salah satu dari ${names}` };
}

const openOf = ({ account, invoices }: Loaded): InvoiceRow | null => (account.open ? (invoices.get(account.open.invoice) ?? null) : null);

function sameOpen(loaded: Loaded, plan: Plan, provider: ProviderId, currency: BillingCurrency): InvoiceRow | null {
  const open = openOf(loaded);
  const isSame = open?.plan === plan.name && open.provider === provider && open.currency === currency;
  if (!isSame || open.expires_at <= loaded.context.now || open.basis !== loaded.account.basis) return null;
  // Credit added since the invoice was opened makes a new invoice lower.
  const credit = withoutHold(loaded.account, open).credit[currency];
  return usable(credit, open.amount + open.held, currency) === open.held ? open : null;
}

export async function cancel(deps: BillingDeps, tenantId: string): Promise<Loaded> {
  const { loaded, pagesEnded } = await changed(deps, tenantId, (now) => orConflict(cancelled(now.account, openOf(now))));
  await pagesEnded;
  return loaded;
}

export async function resume(deps: BillingDeps, tenantId: string): Promise<Loaded> {
  const { loaded, pagesEnded } = await changed(deps, tenantId, (now) => orConflict(resumed(now.account, openOf(now))));
  await pagesEnded;
  return loaded;
}

function orConflict(change: Change | null): Change {
  if (change === null) throw refusal('CONFLICT', { reason: { en: 'nothing to change', id: 'tidak ada yang diubah' } });
  return change;
}

/** Grants a plan without payment. Unused paid days become credit. */
export async function givePlan({ ledger }: Pick<BillingDeps, 'ledger'>, tenantId: string, plan: string): Promise<void> {
  await ledger.change(tenantId, [], ({ account, context }) => {
    if (account.plan === plan && account.funding.length === 0 && account.grace_until === null) return unchanged(account);
    const credited = CURRENCIES.reduce<AccountRow>(
      (sum, currency) => withCredit(sum, currency, unusedOf(account, currency, context.now)),
      withReplaced(account, null, context.now),
    );
    return planChanged(account, moved(account, 'given', { ...freed(credited), plan }), context);
  });
}

const INVOICE = { en: 'the invoice', id: 'tagihan' };

/** Records a refund made outside the gateway. Fails with NOT_FOUND or CONFLICT (not paid). */
export async function markRefunded(
  { ledger }: Pick<BillingDeps, 'ledger'>,
  { _id, tenant_id }: InvoiceRow,
  ends: 'now' | 'period_end',
): Promise<InvoiceRow> {
  const { invoices } = await ledger.change(tenant_id, [_id], ({ account, invoices: known, context }) => {
    const invoice = known.get(_id);
    if (!invoice) throw refusal('NOT_FOUND');
    if (invoice.status !== 'paid' && invoice.status !== 'disputed') throw inStatus(INVOICE, invoice.status);
    const done = refunded({ account, invoice, outbox: [] }, context, ends);
    return { account: done.account, outbox: [written(account, done.invoice), ...done.outbox] };
  });
  return entry(invoices, _id);
}
