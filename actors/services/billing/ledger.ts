import type { Clock } from '../../../runtime/clock.ts';
import { newId } from '../../../runtime/ids.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { AccountRow, Accounts } from '../../../store/billing/accounts.ts';
import type { InvoiceRow, Invoices } from '../../../store/billing/invoices.ts';
import { type BillingContext, type Change, metered, newAccount } from '../../domain/billing/account.ts';
import { dueAt } from '../../domain/billing/advance.ts';
import { refusal } from '../../domain/refusals.ts';

export interface LedgerDeps {
  readonly accounts: Accounts;
  readonly invoices: Invoices;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly clock: Clock;
  readonly plans: BillingContext['plans'];
  readonly taxRate: number;
  readonly providerFor: BillingContext['providerFor'];
  changed(tenantId: string): Promise<void>;
}

export interface Loaded {
  readonly account: AccountRow;
  readonly invoices: ReadonlyMap<string, InvoiceRow>;
  readonly context: BillingContext;
}

/** Makes all changes to accounts. If the row has changed in the meantime, the change is retried. */
export interface Ledger {
  load(tenantId: string, invoiceIds?: readonly string[]): Promise<Loaded>;
  /** `decide` may be called more than once, because a write may be retried. */
  change(tenantId: string, invoiceIds: readonly string[], decide: (loaded: Loaded) => Change): Promise<Loaded>;
}

export function createLedger(deps: LedgerDeps): Ledger {
  const { accounts, invoices, tenants, clock, plans, taxRate, providerFor } = deps;

  async function load(tenantId: string, invoiceIds: readonly string[] = []): Promise<Loaded> {
    const tenant = await tenants.find(tenantId);
    if (!tenant) throw refusal('NOT_FOUND');
    // Read the account before the invoices, so that its outbox has every invoice newer than its row.
    const { timezone: zone, locale, currency } = tenant.profile;
    const account = metered((await accounts.find(tenantId)) ?? newAccount(tenantId, tenant.plan, currency), zone);
    const now = clock.now();
    const ids = new Set([...invoiceIds, ...[account.open, ...account.owing].flatMap((open) => open?.invoice ?? [])]);
    const stored = await Promise.all([...ids].map((id) => invoices.find(tenantId, id)));
    return {
      account,
      invoices: overlaid(stored, account),
      context: { now, zone, locale, currency, plans, taxRate, newId: () => newId(now), providerFor },
    };
  }

  return {
    load,

    async change(tenantId, invoiceIds, decide) {
      for (;;) {
        const loaded = await load(tenantId, invoiceIds);
        const { account } = loaded;
        const change = decide(loaded);
        if (change.account === account && change.outbox.length === 0) return loaded;
        const next = nextRevision(account, change, loaded.context.zone);
        if (!(await accounts.save(next))) continue;
        await deps.changed(tenantId);
        return { ...loaded, account: next, invoices: overlaid([...loaded.invoices.values()], next) };
      }
    },
  };
}

function nextRevision(before: AccountRow, { account, outbox }: Change, zone: string): AccountRow {
  const next = { ...account, rev: before.rev + 1, outbox: [...before.outbox, ...outbox], retry_at: null };
  return { ...next, due_at: dueAt(next, zone), has_credit: next.credit.IDR + next.credit.USD > 0 };
}

function overlaid(stored: readonly (InvoiceRow | null)[], { outbox }: AccountRow): ReadonlyMap<string, InvoiceRow> {
  const known = new Map(stored.flatMap((row) => (row ? [[row._id, row] as const] : [])));
  for (const item of outbox) if (item.kind === 'invoice') known.set(item.row._id, item.row);
  return known;
}
