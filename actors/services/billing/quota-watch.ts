import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { Usage } from '../../../store/accounts/usage.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import { monthIn } from '../../domain/billing/periods.ts';
import { levelOf, quotaSeen } from '../../domain/billing/usage.ts';
import { type Plans, planOf } from '../../domain/plans.ts';
import type { OutboxHandler } from '../messaging/outbox-processor.ts';
import type { Ledger } from './ledger.ts';

export interface QuotaWatchDeps {
  readonly usage: Pick<Usage, 'messages'>;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly plans: Plans;
  readonly ledger: Pick<Ledger, 'change'>;
  readonly now: () => number;
}

const TENANTS = 10_000;
const TRUSTED_MS = 60_000;
/** Checks again after a quarter of the remaining messages, because other nodes send, too. */
const SHARE = 4;

export function watchQuota(deps: QuotaWatchDeps): OutboxHandler {
  const left = new RecentCache<string, { count: number; at: number }>(TENANTS);
  return {
    name: 'quota warnings',
    plan(rows) {
      const counted = rows.filter(
        ({ direction, sent_at, error }) => direction === 'outbound' && (sent_at !== null || error === 'quota_exceeded'),
      );
      const due: string[] = [];
      for (const [tenantId, of] of Map.groupBy(counted, ({ tenant_id }: MessageRow) => tenant_id)) {
        const known = left.get(tenantId);
        const count = (known?.count ?? 0) - of.length;
        const isFresh = known !== undefined && Math.abs(deps.now() - known.at) < TRUSTED_MS && count > 0;
        if (isFresh) left.set(tenantId, { ...known, count });
        else due.push(tenantId);
      }
      return due.length > 0 ? { alone: () => look(due) } : null;
    },
  };

  async function look(due: readonly string[]): Promise<void> {
    for (const tenantId of due) left.set(tenantId, { count: await looked(deps, tenantId), at: deps.now() });
  }
}

/** Returns the number of messages until the next check, or infinity if the quota is used up. */
async function looked({ usage, tenants, plans, ledger, now }: QuotaWatchDeps, tenantId: string): Promise<number> {
  const tenant = await tenants.find(tenantId);
  if (!tenant) return 1;
  const month = monthIn(tenant.profile.timezone, now());
  const limit = planOf(plans, tenant.plan).messages;
  const used = await usage.messages(tenantId, month);
  if (limit > 0 && levelOf(used, limit) > 0)
    await ledger.change(tenantId, [], ({ account, context }) => quotaSeen(account, month, used, limit, context));
  if (used >= limit) return Number.POSITIVE_INFINITY;
  const next = used * 100 < limit * 80 ? Math.ceil(limit * 0.8) : limit;
  return Math.max(1, Math.floor((next - used) / SHARE));
}
