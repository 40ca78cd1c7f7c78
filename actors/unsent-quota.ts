import type { MessageRow, Messages } from '../store/messages.ts';
import type { Usage } from '../store/usage.ts';
import type { FollowUp } from './follow-ups.ts';

export interface UnsentQuotaPorts {
  readonly messages: Pick<Messages, 'unpaid'>;
  readonly usage: Pick<Usage, 'giveBackOnce'>;
}

/** What a message fails of that never left its device. */
const NEVER_LEFT: ReadonlySet<string | null> = new Set(['opted_out', 'expired']);

/** Its quota is given back, or is about to be: whoever sends it all the same pays anew. */
export const isUnsent = ({ status, error }: Pick<MessageRow, 'status' | 'error'>): boolean => status === 'failed' && NEVER_LEFT.has(error);

/** Gives the quota of messages back that a STOP or their time ended before they left (spec.md part 8 counts what is sent), each once. */
export function giveQuotaBack({ messages, usage }: UnsentQuotaPorts): FollowUp {
  return {
    name: 'quota',
    async run(rows) {
      for (const row of rows) {
        if (row.quota_month === null || !isUnsent(row)) continue;
        await usage.giveBackOnce(row.tenant_id, row.quota_month, `${row._id}:${row.rev}`);
        await messages.unpaid(row);
      }
    },
  };
}
