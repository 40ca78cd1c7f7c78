import type { Accounts } from '../../../store/billing/accounts.ts';
import { advanced, dueAt } from '../../domain/billing/advance.ts';
import { meterDueAt, meterEnd } from '../../domain/billing/periods.ts';
import { daySent } from '../../domain/billing/usage.ts';
import type { Released } from '../../tenant/protocol.ts';
import type { Confirm } from './confirm.ts';
import type { Ledger, Loaded } from './ledger.ts';
import { type BillingOutboxDeps, processBillingOutbox } from './outbox.ts';

export interface RunDueDeps {
  readonly accounts: Pick<Accounts, 'find'>;
  readonly ledger: Ledger;
  readonly confirm: Confirm;
  readonly outbox: BillingOutboxDeps;
  countSent(tenantId: string, start: number, end: number): Promise<number>;
}

const MAX_STEPS = 100;

export async function runBilling(deps: RunDueDeps, tenantId: string): Promise<Released> {
  const { accounts, ledger, outbox } = deps;
  if (!(await accounts.find(tenantId))) return { more: false, nextAt: null };
  let loaded = await countDays(deps, await ledger.load(tenantId));
  loaded = await poll(deps, loaded);
  loaded = await advance(deps, loaded);
  if (loaded.account.outbox.length > 0) {
    await processBillingOutbox(outbox, tenantId, true);
    loaded = await ledger.load(tenantId);
  }
  return { more: false, nextAt: dueAt(loaded.account, loaded.context.zone) };
}

/** Queries the provider before invoices expire, so that a payment made in time is accepted. */
async function poll({ ledger, confirm }: RunDueDeps, loaded: Loaded): Promise<Loaded> {
  const { account, context } = loaded;
  const due = account.polls.filter(({ at }) => at <= context.now);
  for (const { invoice } of due) await confirm.confirm({ _id: invoice, tenant_id: account._id });
  return due.length > 0 ? ledger.load(account._id) : loaded;
}

async function advance({ ledger }: RunDueDeps, loaded: Loaded): Promise<Loaded> {
  let now = loaded;
  for (let step = 0; step < MAX_STEPS && advanced(now.account, now.invoices, now.context).account !== now.account; step += 1)
    now = await ledger.change(now.account._id, [], ({ account, invoices, context }) => advanced(account, invoices, context));
  return now;
}

/** Counts each day soon after it ends, so that retention does not change a bill. */
async function countDays({ ledger, countSent }: RunDueDeps, loaded: Loaded): Promise<Loaded> {
  let now = loaded;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const { account, context } = now;
    const { metered } = account;
    if (metered === null || meterDueAt(context.zone, metered) > context.now) return now;
    const end = meterEnd(context.zone, metered);
    const sent = await countSent(account._id, metered.until, end);
    now = await ledger.change(account._id, [], (latest) => daySent(latest.account, metered, end, sent, latest.context));
  }
  return now;
}
