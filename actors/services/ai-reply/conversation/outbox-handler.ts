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
  async function follow(row: MessageRow): Promise<void> {
    if (isWritten(row)) await aiIntake.personWrote(row);
    if (!isUnsentReply(row)) return;
    const zone = (await tenants.find(row.tenant_id))?.profile.timezone;
    await replyQuota.giveBack(row.tenant_id, monthOf(row.created_at, zone), row._id);
  }

  return {
    name: 'ai-replies',
    plan(rows) {
      const own = rows.filter((row) => isWritten(row) || isUnsentReply(row));
      if (own.length === 0) return null;
      return {
        async alone() {
          for (const row of own) await follow(row);
        },
      };
    },
  };
}

const NEVER_LEFT: ReadonlySet<MessageRow['status']> = new Set(['failed', 'cancelled']);

const isWritten = (row: MessageRow): boolean => isByPerson(row) && subjectOf(row.chat_id) !== null;
const isUnsentReply = ({ ai, status }: MessageRow): boolean => ai !== undefined && NEVER_LEFT.has(status);
