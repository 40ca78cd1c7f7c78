import type { Accounts } from '../../../store/billing/accounts.ts';
import { advanced, dueAt } from '../../domain/billing/advance.ts';
import { meterDueAt, meterEnd } from '../../domain/billing/periods.ts';
import { daySent } from '../../domain/billing/usage.ts';
import type { Released } from '../../tenant/protocol.ts';
import type { Confirm } from './confirm.ts';
import type { Ledger } from './ledger.ts';
import { type BillingOutboxDeps, processBillingOutbox } from './outbox.ts';

export interface RunDueDeps {
  readonly accounts: Pick<Accounts, 'find'>;
  readonly ledger: Ledger;
  readonly confirm: Confirm;
  readonly outbox: BillingOutboxDeps;
  /** Messages of a tenant that became `sent` from `start` on and before `end` (epoch ms), by the log. */
  countSent(tenantId: string, start: number, end: number): Promise<number>;
}

/** More than that in one go is left for the next. */
const MAX_STEPS = 100;

/** Does what a tenant's billing is due for: polls, ends of periods, reminders, months, messages. Repeated, it does nothing twice. */
export async function runBilling(deps: RunDueDeps, tenantId: string): Promise<Released> {
  const account = await deps.accounts.find(tenantId);
  if (!account) return { more: false, nextAt: null };
  await countDays(deps, tenantId);
  await poll(deps, tenantId);
  await advance(deps, tenantId);
  await processBillingOutbox(deps.outbox, tenantId, true);
  const after = await deps.ledger.load(tenantId);
  const nextAt = dueAt(after.account, after.context.zone);
  return { more: false, nextAt };
}

/** The provider is asked about invoices before they expire: what was paid in time is paid. */
async function poll({ ledger, confirm }: RunDueDeps, tenantId: string): Promise<void> {
  const { account, context } = await ledger.load(tenantId);
  for (const { invoice, at } of account.polls) if (at <= context.now) await confirm.confirm({ _id: invoice, tenant_id: tenantId });
}

async function advance({ ledger }: RunDueDeps, tenantId: string): Promise<void> {
  for (let step = 0; step < MAX_STEPS; step += 1) {
    let isOver = true;
    await ledger.change(tenantId, [], ({ account, invoices, context }) => {
      const change = advanced(account, invoices, context);
      isOver = change.account === account;
      return change;
    });
    if (isOver) return;
  }
}

/** Day by day, so that no bill rests on a log that was cut since. */
async function countDays({ ledger, countSent }: RunDueDeps, tenantId: string): Promise<void> {
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const { account, context } = await ledger.load(tenantId);
    const { metered } = account;
    if (metered === null || meterDueAt(context.zone, metered) > context.now) return;
    const end = meterEnd(context.zone, metered);
    const sent = await countSent(tenantId, metered.until, end);
    await ledger.change(tenantId, [], (now) => daySent(now.account, metered, end, sent, now.context));
  }
}
