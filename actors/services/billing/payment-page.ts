import { CLAIM_MS, whileClaimed } from '../../../runtime/claims.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { AccountRow } from '../../../store/billing/accounts.ts';
import type { InvoiceRow, PaymentAttempt, ProviderId } from '../../../store/billing/invoices.ts';
import { type Change, unchanged, written } from '../../domain/billing/account.ts';
import { refusal } from '../../domain/refusals.ts';
import type { Ledger } from './ledger.ts';
import { type CreatedPayment, type PaymentOrder, type PaymentProvider, ProviderFailure } from './provider.ts';

/**
 * Manages payment pages of open invoices. Invariant: an attempt is stored in its invoice before the
 * provider is called. Every payment therefore belongs to a known page, and concurrent calls create
 * only one page. If a page could not be closed and money is paid on it, the money becomes credit.
 */

export interface PaymentPageDeps {
  readonly ledger: Ledger;
  readonly providers: ReadonlyMap<ProviderId, PaymentProvider>;
  readonly clock: Clock;
  returnUrl(invoiceId: string): string;
}

const LOOK_MS = 250;
const PAGE_MS = 24 * 3_600_000 - 60_000;
const SHORTEST_MS = 30 * 60_000;
const MIN_LEFT_MS = SHORTEST_MS + 60_000;
const MAX_ATTEMPTS = 20;

/** If this fails with PROVIDER_UNAVAILABLE, the invoice is kept for the next call. */
export async function withPage(deps: PaymentPageDeps, tenantId: string, invoiceId: string): Promise<InvoiceRow> {
  for (;;) {
    const { ledger, clock } = deps;
    const claim = await claimed(deps, tenantId, invoiceId);
    if (claim.mine === null) return claim.invoice;
    if (claim.mine === 'wait') await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
    else if (await made(deps, claim.invoice, claim.mine)) {
      const invoice = (await ledger.load(tenantId, [invoiceId])).invoices.get(invoiceId) ?? claim.invoice;
      if (invoice.status === 'void') await endPages(deps, invoice);
      return invoice;
    }
  }
}

/** Closes the invoice's pages. Never rejects. */
export async function endPages({ providers, clock }: PaymentPageDeps, { provider, attempts }: InvoiceRow): Promise<void> {
  const till = providers.get(provider);
  const open = attempts.filter(({ provider_id, url, expires_at }) => provider_id && url && (expires_at ?? 0) > clock.now());
  await Promise.all(open.map(async (attempt) => till?.end?.(attempt).catch(() => {})));
}

type PlannedAttempt = PaymentAttempt & { readonly expires_at: number };

interface Claim {
  readonly invoice: InvoiceRow;
  readonly mine: PlannedAttempt | 'wait' | null;
}

async function claimed({ ledger, clock }: PaymentPageDeps, tenantId: string, invoiceId: string): Promise<Claim> {
  let mine: Claim['mine'] = null;
  const { invoices } = await ledger.change(tenantId, [invoiceId], ({ account, invoices: known }) => {
    const invoice = known.get(invoiceId);
    const [next, change] = invoice ? claim(account, invoice, clock.now()) : [null, unchanged(account)];
    mine = next;
    return change;
  });
  const invoice = invoices.get(invoiceId);
  if (!invoice) throw refusal('NOT_FOUND');
  return { invoice, mine };
}

function claim(account: AccountRow, invoice: InvoiceRow, now: number): [Claim['mine'], Change] {
  const last = invoice.attempts.at(-1);
  if (invoice.status !== 'open' || invoice.amount === 0) return [null, unchanged(account)];
  if (last && last.url === null && last.asked_at + CLAIM_MS > now) return ['wait', unchanged(account)];
  if (last && last.url !== null && (last.expires_at ?? now + 1) > now) return [null, unchanged(account)];
  // If the last response was lost, a repeated attempt returns the page that the provider created.
  const again = last && last.url === null && last.expires_at !== null && last.expires_at - SHORTEST_MS > now ? last.expires_at : null;
  const attempts = again === null ? invoice.attempts : invoice.attempts.slice(0, -1);
  if (attempts.length >= MAX_ATTEMPTS) throw refusal('CONFLICT', { reason: { en: 'too many attempts', id: 'terlalu banyak percobaan' } });
  const ref = refOf(invoice._id, attempts.length);
  const expires_at = again ?? Math.max(Math.min(invoice.expires_at, now + PAGE_MS), now + MIN_LEFT_MS);
  const mine: PlannedAttempt = { ref, provider_id: null, url: null, expires_at, asked_at: now };
  return [mine, { account, outbox: [written(account, { ...invoice, attempts: [...attempts, mine] })] }];
}

const refOf = (invoice: string, before: number): string => (before === 0 ? invoice : `${invoice}-${before + 1}`);

async function made(deps: PaymentPageDeps, invoice: InvoiceRow, attempt: PlannedAttempt): Promise<boolean> {
  const provider = deps.providers.get(invoice.provider);
  try {
    if (!provider) throw new ProviderFailure(`${invoice.provider} is not configured`);
    const text = invoice.lines[0]?.text ?? invoice.plan;
    const renew = async (): Promise<boolean> => {
      await changeAttempt(deps, invoice, attempt.ref, { asked_at: deps.clock.now() });
      return true;
    };
    const order: PaymentOrder = {
      ref: attempt.ref,
      invoice,
      text,
      lang: 'en',
      expiresAt: attempt.expires_at,
      returnUrl: deps.returnUrl(invoice._id),
      now: deps.clock.now(),
    };
    const created = await whileClaimed(deps.clock, renew, () => provider.create(order));
    await stored(deps, invoice, attempt, created);
    return true;
  } catch (cause) {
    if (!(cause instanceof ProviderFailure)) throw cause;
    if (cause.isUsed) await stored(deps, invoice, attempt, { providerId: null, url: '', expiresAt: 0 });
    else await released(deps, invoice, attempt);
    if (cause.isUsed) return false;
    throw refusal('PROVIDER_UNAVAILABLE');
  }
}

const stored = (deps: PaymentPageDeps, invoice: InvoiceRow, { ref }: PaymentAttempt, { providerId, url, expiresAt }: CreatedPayment) =>
  changeAttempt(deps, invoice, ref, { provider_id: providerId, url, expires_at: expiresAt });

const released = (deps: PaymentPageDeps, invoice: InvoiceRow, { ref }: PaymentAttempt) =>
  changeAttempt(deps, invoice, ref, { asked_at: 0 });

async function changeAttempt(
  { ledger }: PaymentPageDeps,
  { tenant_id, _id }: InvoiceRow,
  ref: string,
  patch: Partial<PaymentAttempt>,
): Promise<void> {
  await ledger.change(tenant_id, [_id], ({ account, invoices }) => {
    const invoice = invoices.get(_id);
    if (!invoice) return unchanged(account);
    const attempts = invoice.attempts.map((one) => (one.ref === ref && one.url === null ? { ...one, ...patch } : one));
    return { account, outbox: [written(account, { ...invoice, attempts })] };
  });
}

export function payUrlOf({ status, attempts }: InvoiceRow, now: number): string | null {
  const last = attempts.at(-1);
  return status === 'open' && last?.url && (last.expires_at ?? 0) > now ? last.url : null;
}
