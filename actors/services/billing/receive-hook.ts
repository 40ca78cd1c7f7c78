import type { InvoiceRow, Invoices, ProviderId } from '../../../store/billing/invoices.ts';
import { refusal } from '../../domain/refusals.ts';
import type { Confirm, Confirmation } from './confirm.ts';
import { type HookSubject, invoiceOf, isReference, type PaymentHook, type PaymentProvider } from './provider.ts';

export interface ReceiveHookDeps {
  readonly providers: ReadonlyMap<ProviderId, PaymentProvider>;
  readonly invoices: Pick<Invoices, 'locate' | 'byPayment'>;
  readonly confirm: Confirm;
  /** Fails with RATE_LIMITED after too many wrong signatures from this address. */
  countForgery(address: string, now: number): Promise<void>;
}

export interface PaymentWebhookAck {
  readonly ok: boolean;
  readonly status?: string;
}

const RETRY_MS = 5_000;
const DONE: PaymentWebhookAck = { ok: true };

/** Fails with NOT_FOUND (not configured), BAD_SIGNATURE, RATE_LIMITED or UNAVAILABLE. */
export async function receiveHook(deps: ReceiveHookDeps, name: string, hook: PaymentHook, address: string): Promise<PaymentWebhookAck> {
  const provider = [...deps.providers.values()].find(({ id }) => id === name && id !== 'sandbox');
  if (!provider) throw refusal('NOT_FOUND');
  const subject = await provider.verify(hook);
  if (subject === null) {
    await deps.countForgery(address, hook.now);
    throw refusal('BAD_SIGNATURE');
  }
  const found = await invoiceFor(deps, provider.id, subject);
  if (found === 'ignored') return DONE;
  const only = subject.kind === 'reference' ? subject : undefined;
  return acknowledged(provider.id, found === 'unknown' ? { is: 'unverified' } : await deps.confirm.confirm(found, only));
}

async function invoiceFor(
  { invoices }: ReceiveHookDeps,
  provider: ProviderId,
  subject: HookSubject,
): Promise<InvoiceRow | 'ignored' | 'unknown'> {
  if (subject.kind === 'ignored') return 'ignored';
  if (subject.kind === 'payment') return (await invoices.byPayment(provider, subject.id)) ?? 'ignored';
  if (!isReference(subject.ref)) return 'ignored';
  const invoice = await invoices.locate(invoiceOf(subject.ref));
  const isKnown = invoice?.provider === provider && invoice.attempts.some(({ ref }) => ref === subject.ref);
  return invoice && isKnown ? invoice : 'unknown';
}

/** Midtrans never repeats a webhook after a 200, so we poll. Other providers repeat until we confirm. */
function acknowledged(provider: ProviderId, confirmation: Confirmation): PaymentWebhookAck {
  switch (confirmation.is) {
    case 'over':
      return DONE;
    case 'rejected':
      return { ok: false, status: 'rejected' };
    case 'pending':
      return { ok: false, status: confirmation.status };
    default:
      if (provider === 'midtrans') return { ok: false, status: 'unverified' };
      throw refusal('UNAVAILABLE', { retryAfterMs: RETRY_MS });
  }
}
