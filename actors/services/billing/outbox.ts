import type { Logger } from 'pino';
import type { Clock } from '../../../runtime/clock.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { AccountRow, Accounts, BillingOutboxItem } from '../../../store/billing/accounts.ts';
import type { InvoiceNumbers } from '../../../store/billing/invoice-numbers.ts';
import type { InvoiceRow, Invoices } from '../../../store/billing/invoices.ts';
import { metered } from '../../domain/billing/account.ts';
import { dueAt } from '../../domain/billing/advance.ts';
import type { Draft } from '../events/types.ts';

/**
 * Carries out the consequences of a billing change: invoices, plan, events, messages and audit
 * entries. The ledger stores them in the account's row, together with the change
 * (store/billing/accounts.ts). Invariant: an item stays there until it is completed, so a crash
 * cannot lose it. Only messages are dropped, after their deadline.
 */

export type AuditItem = Extract<BillingOutboxItem, { kind: 'audit' }>;

export interface BillingOutboxDeps {
  readonly accounts: Accounts;
  readonly invoices: Invoices;
  readonly numbers: InvoiceNumbers;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly clock: Clock;
  readonly log: Logger;
  paymentLink(invoiceId: string | null): string;
  /** Ignores an older `rev`. */
  applyPlan(tenantId: string, plan: string, rev: number): Promise<void>;
  record(tenantId: string, drafts: readonly Draft[]): Promise<void>;
  /** Sends a text from the platform's device. If texts share a key, only the first is delivered. */
  sendText(digits: string, text: string, key: string): Promise<void>;
  audit(tenantId: string, item: AuditItem): Promise<void>;
}

const RETRY_MS = 60_000;

/** Sends messages only with `sends`, because sending can take a long time. */
export async function processBillingOutbox(deps: BillingOutboxDeps, tenantId: string, sends: boolean): Promise<void> {
  const account = await deps.accounts.find(tenantId);
  if (!account || account.outbox.length === 0) return;
  const rest: BillingOutboxItem[] = [];
  for (const item of account.outbox) if (!(await isDone(deps, account, item, sends))) rest.push(item);
  if (rest.length === account.outbox.length && !sends) return;
  const tenant = await deps.tenants.find(tenantId);
  const next: AccountRow = {
    ...account,
    outbox: rest,
    retry_at: sends && rest.length > 0 ? deps.clock.now() + RETRY_MS : account.retry_at,
  };
  const zone = tenant?.profile.timezone ?? 'UTC';
  const due_at = dueAt(metered(next, zone), zone);
  await deps.accounts.outboxDone(tenantId, account.rev, { outbox: rest, retry_at: next.retry_at, due_at });
}

async function isDone(deps: BillingOutboxDeps, account: AccountRow, item: BillingOutboxItem, sends: boolean): Promise<boolean> {
  if (item.kind === 'message' && !sends) return false;
  try {
    await carryOut(deps, account._id, item);
    return true;
  } catch (cause) {
    const isOver = item.kind === 'message' && item.until <= deps.clock.now();
    deps.log.warn(
      { event: 'billing.step_failed', err: cause, tenant: account._id, item: item.kind, given_up: isOver },
      'billing: a follow-up to a change failed',
    );
    return isOver;
  }
}

async function carryOut(deps: BillingOutboxDeps, tenantId: string, item: BillingOutboxItem): Promise<void> {
  switch (item.kind) {
    case 'invoice':
      return deps.invoices.put(await numbered(deps, item.row));
    case 'plan':
      return deps.applyPlan(tenantId, item.plan, item.rev);
    case 'event': {
      const { type, row, at, data } = item;
      return deps.record(tenantId, [{ session_id: null, type, row, occurred_at: at, data: await withNumber(deps, tenantId, data) }]);
    }
    case 'message':
      return send(deps, tenantId, item);
    case 'audit':
      return deps.audit(tenantId, item);
    default:
      throw new Error('an unknown item');
  }
}

/** Numbers invoices when they are paid, so that unpaid ones leave no gaps in the sequence. */
async function numbered({ numbers }: BillingOutboxDeps, row: InvoiceRow): Promise<InvoiceRow> {
  if (row.paid_at === null || row.number !== null) return row;
  const year = new Date(row.paid_at).getUTCFullYear();
  return { ...row, number: `INV-${year}-${String(await numbers.of(row._id)).padStart(6, '0')}` };
}

async function withNumber(
  { invoices }: BillingOutboxDeps,
  tenantId: string,
  data: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const id = data['invoice_id'];
  if (typeof id !== 'string') return data;
  return { ...data, number: (await invoices.find(tenantId, id))?.number ?? null };
}

async function send(deps: BillingOutboxDeps, tenantId: string, item: Extract<BillingOutboxItem, { kind: 'message' }>): Promise<void> {
  const tenant = await deps.tenants.find(tenantId);
  if (!tenant) return;
  const invoice = item.invoice === null ? null : await deps.invoices.find(tenantId, item.invoice);
  if (invoice?.status === 'paid' && invoice.number === null) throw new Error('the invoice has no number yet');
  const text = item.text[tenant.profile.locale]
    .replace('{number}', invoice?.number ?? '')
    .replace('{link}', deps.paymentLink(item.invoice));
  await deps.sendText(tenant.phone, text, item.key);
}
