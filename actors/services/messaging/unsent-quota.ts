import { CLAIM_MS } from '../../../runtime/claims.ts';
import { newId } from '../../../runtime/ids.ts';
import { inChunks } from '../../../runtime/in-chunks.ts';
import { at } from '../../../runtime/invariant.ts';
import type { Usage } from '../../../store/accounts/usage.ts';
import { type MessageRow, type Messages, UNSENT_ERRORS } from '../../../store/messaging/messages.ts';
import type { OutboxHandler } from './outbox-processor.ts';

export interface UnsentQuotaDeps {
  readonly messages: Pick<Messages, 'claimRefund' | 'openRefunds' | 'endRefund'>;
  readonly usage: Pick<Usage, 'giveBackOnce'>;
}

const BATCH_SIZE = 500;

export const isUnsent = ({ status, error }: Pick<MessageRow, 'status' | 'error'>): boolean =>
  status === 'cancelled' || (status === 'failed' && UNSENT_ERRORS.includes(error));

const isPaidUnsent = (row: MessageRow): boolean => row.quota_month !== null && isUnsent(row);

/** Refunds unsent messages. Claims and named refunds ensure that each message is refunded only once. */
export async function giveBackUnsent(deps: UnsentQuotaDeps, rows: readonly MessageRow[], now: number): Promise<void> {
  const paid = rows.filter(isPaidUnsent);
  const groups = Map.groupBy(paid, ({ tenant_id, quota_month }) => `${tenant_id} ${quota_month}`);
  for (const group of groups.values()) for (const some of inChunks(group, BATCH_SIZE)) await giveBack(deps, some, now);
}

async function giveBack({ messages, usage }: UnsentQuotaDeps, rows: readonly MessageRow[], now: number): Promise<void> {
  const { tenant_id, quota_month } = at(rows, 0);
  const month = quota_month ?? '';
  const refund = `${newId(now)}:${month}`;
  const ids = rows.map(({ _id }) => _id);
  const count = await messages.claimRefund(ids, month, refund);
  if (count === 0) return;
  await usage.giveBackOnce(tenant_id, month, refund, count);
  await messages.endRefund(refund);
}

export async function endAbandonedRefunds({ messages, usage }: UnsentQuotaDeps, now: number): Promise<void> {
  for (const { refund, tenantId, count } of await messages.openRefunds(now - CLAIM_MS, BATCH_SIZE)) {
    await usage.giveBackOnce(tenantId, refund.split(':')[1] ?? '', refund, count);
    await messages.endRefund(refund);
  }
}

export function giveQuotaBack(deps: UnsentQuotaDeps, now: () => number): OutboxHandler {
  return { name: 'quota', plan: (rows) => (rows.some(isPaidUnsent) ? { alone: () => giveBackUnsent(deps, rows, now()) } : null) };
}
