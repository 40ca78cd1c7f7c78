import type { Tenants } from '../../../../store/accounts/tenants.ts';
import type { ReplyQuota } from '../../../../store/ai-reply/reply-quota.ts';
import type { MessageRow } from '../../../../store/messaging/messages.ts';
import { subjectOf } from '../../../network/subject.ts';
import type { OutboxHandler } from '../../messaging/outbox-processor.ts';
import { monthOf } from '../../messaging/sending.ts';
import { type AiIntake, isByPerson } from './intake.ts';

export interface AiFollowUpDeps {
  readonly aiIntake: Pick<AiIntake, 'isOn' | 'personWrote'>;
  readonly replyQuota: Pick<ReplyQuota, 'giveBack'>;
  readonly tenants: Pick<Tenants, 'find'>;
}

export function followUpOnReplies({ aiIntake, replyQuota, tenants }: AiFollowUpDeps): OutboxHandler {
  async function giveBack({ _id, tenant_id, created_at }: MessageRow): Promise<void> {
    const zone = (await tenants.find(tenant_id))?.profile.timezone;
    await replyQuota.giveBack(tenant_id, monthOf(created_at, zone), _id);
  }

  async function rowsForAi(rows: readonly MessageRow[]): Promise<readonly MessageRow[]> {
    const [first, ...rest] = rows.filter(isNews);
    return first && (await aiIntake.isOn(first.tenant_id)) ? [first, ...rest] : [];
  }

  return {
    name: 'ai-replies',
    async plan(rows) {
      const [written, unsent] = [await rowsForAi(rows), rows.filter(isUnsentReply)];
      if (written.length + unsent.length === 0) return null;
      return {
        async alone() {
          for (const row of written) await aiIntake.personWrote(row);
          for (const row of unsent) await giveBack(row);
        },
      };
    },
  };
}

const NEVER_LEFT: ReadonlySet<MessageRow['status']> = new Set(['failed', 'cancelled']);

/** Whether a change to the message matters. Once a message was sent, changes such as receipts do not. */
const isNews = (row: MessageRow): boolean => isByPerson(row) && subjectOf(row.chat_id) !== null && !(row.processed ?? []).includes('sent');
const isUnsentReply = ({ ai, status }: MessageRow): boolean => ai !== undefined && NEVER_LEFT.has(status);
