import type { Tenants } from '../../../../store/accounts/tenants.ts';
import type { ReplyQuota } from '../../../../store/ai-reply/reply-quota.ts';
import type { MessageRow } from '../../../../store/messaging/messages.ts';
import { subjectOf } from '../../consent/subject.ts';
import type { OutboxHandler } from '../../messaging/outbox-processor.ts';
import { monthOf } from '../../messaging/sending.ts';
import { type AiIntake, isByPerson } from './intake.ts';

export interface AiFollowUpDeps {
  readonly aiIntake: Pick<AiIntake, 'personWrote'>;
  readonly replyQuota: Pick<ReplyQuota, 'giveBack'>;
  readonly tenants: Pick<Tenants, 'find'>;
}

/** What follows from messages that went out: who wrote themselves is not talked over, and a reply that never left is not counted. */
export function followUpOnReplies({ aiIntake, replyQuota, tenants }: AiFollowUpDeps): OutboxHandler {
  return {
    name: 'ai-replies',
    async run(rows) {
      for (const row of rows) {
        if (isByPerson(row) && subjectOf(row.chat_id) !== null) await aiIntake.personWrote(row);
        if (!row.ai || !NEVER_LEFT.has(row.status)) continue;
        const zone = (await tenants.find(row.tenant_id))?.profile.timezone;
        await replyQuota.giveBack(row.tenant_id, monthOf(row.created_at, zone), row._id);
      }
    },
  };
}

const NEVER_LEFT: ReadonlySet<MessageRow['status']> = new Set(['failed', 'cancelled']);
