import type { Logger } from 'pino';
import type { Clock } from '../../../runtime/clock.ts';
import type { InvoiceRow, PaymentAttempt, ProviderId } from '../../../store/billing/invoices.ts';
import type { PaymentFact, RefundEnds } from '../../domain/billing/payment.ts';
import { confirmed, unverified } from '../../domain/billing/settle.ts';
import type { Ledger } from './ledger.ts';
import { type AskedPayment, type PaymentProvider, ProviderFailure } from './provider.ts';

/**
 * Confirms payments. Invariant: a payment takes effect only after the gateway has asked the
 * provider and the provider has confirmed it, never because of a webhook's content or a return
 * page. The ledger applies the amounts that the provider reports.
 */

export interface ConfirmDeps {
  readonly ledger: Ledger;
  readonly providers: ReadonlyMap<ProviderId, PaymentProvider>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly refundEnds: RefundEnds;
}

export type Confirmation =
  | { readonly is: 'over' }
  | { readonly is: 'rejected' }
  | { readonly is: 'unverified' }
  | { readonly is: 'pending'; readonly status: string };

export interface Confirm {
  /** With `only`, checks a single payment page, whose id the stored attempt may lack. */
  confirm(invoice: Pick<InvoiceRow, '_id' | 'tenant_id'>, only?: AskedPage): Promise<Confirmation>;
}

export interface AskedPage {
  readonly ref: string;
  readonly page: string | null;
}

export function createConfirm(deps: ConfirmDeps): Confirm {
  const asking = new Map<string, Promise<Confirmation>>();
  return {
    confirm(invoice, only) {
      const key = `${invoice._id}:${only?.ref ?? ''}:${only?.page ?? ''}`;
      const known = asking.get(key);
      if (known) return known;
      const work = confirmOne(deps, invoice, only).finally(() => asking.delete(key));
      asking.set(key, work);
      return work;
    },
  };
}

async function confirmOne(
  deps: ConfirmDeps,
  { _id, tenant_id }: Pick<InvoiceRow, '_id' | 'tenant_id'>,
  only?: AskedPage,
): Promise<Confirmation> {
  const invoice = (await deps.ledger.load(tenant_id, [_id])).invoices.get(_id);
  if (!invoice) return { is: 'over' };
  const answers = await asked(deps, invoice, only);
  const facts = answers?.flatMap(({ payments }) => payments) ?? null;
  const { invoices } = await deps.ledger.change(tenant_id, [_id], ({ account, invoices: known, context }) => {
    const row = known.get(_id) ?? invoice;
    return facts === null ? unverified(account, row, context) : confirmed(account, row, facts, context, deps.refundEnds);
  });
  if (answers === null || facts === null) return { is: 'unverified' };
  return outcomeOf(invoices.get(_id) ?? invoice, answers, facts);
}

function outcomeOf(invoice: InvoiceRow, answers: readonly AskedPayment[], facts: readonly PaymentFact[]): Confirmation {
  const ids = facts.map(({ id }) => id);
  const payments = invoice.payments.filter(({ id }) => ids.includes(id));
  if (payments.some(({ became }) => became !== 'rejected')) return { is: 'over' };
  if (payments.length > 0) return { is: 'rejected' };
  const last = answers.at(-1);
  return last && !last.isFinal ? { is: 'pending', status: last.status } : { is: 'over' };
}

async function asked(
  { providers, log }: ConfirmDeps,
  invoice: InvoiceRow,
  only: AskedPage | undefined,
): Promise<readonly AskedPayment[] | null> {
  const provider = providers.get(invoice.provider);
  if (!provider) return null;
  const isAskable = (attempt: PaymentAttempt): boolean => provider.goesByReference || attempt.provider_id !== null;
  const attempts = invoice.attempts.filter((attempt) => (only === undefined ? isAskable(attempt) : attempt.ref === only.ref));
  try {
    return await Promise.all(
      attempts.map(async (attempt: PaymentAttempt) => {
        if (attempt.provider_id !== null || !only?.page) return provider.ask(invoice, attempt);
        const said = await provider.ask(invoice, { ...attempt, provider_id: only.page });
        // The page's id from the caller may be wrong, so ignore payments without our reference.
        return { ...said, payments: said.payments.filter(({ isOurs }) => isOurs) };
      }),
    );
  } catch (cause) {
    if (!(cause instanceof ProviderFailure)) throw cause;
    log.warn(
      { event: 'billing.provider_unreachable', err: cause, provider: invoice.provider, invoice: invoice._id },
      'billing: the payment provider could not be queried',
    );
    return null;
  }
}
