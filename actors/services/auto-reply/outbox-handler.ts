import type { Tenants } from '../../../store/accounts/tenants.ts';
import { CLAIMS_KEPT_MS } from '../../../store/auto-reply/auto-replies.ts';
import { isSpoken } from '../../../store/messaging/content-kinds.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import { subjectOf } from '../../network/subject.ts';
import type { AiIntake } from '../ai-reply/conversation/intake.ts';
import type { ConsentMatchers } from '../consent/config.ts';
import type { OutboxHandler } from '../messaging/outbox-processor.ts';
import type { Answers } from './answers.ts';
import { type ReplyDeps, reply } from './reply.ts';

export interface AutoReplyDeps extends ReplyDeps {
  readonly answers: Answers;
  readonly listeners: ConsentMatchers;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly aiIntake: Pick<AiIntake, 'intentOf' | 'take'>;
}

export function handleAutoReply(deps: AutoReplyDeps): OutboxHandler {
  async function answer(row: MessageRow): Promise<void> {
    const tenant = await deps.tenants.find(row.tenant_id);
    if (!tenant || tenant.suspended) return;
    const matchConsent = await deps.listeners.of(row.tenant_id);
    if (row.body !== null && matchConsent(row.body) !== null) return;
    const intent = await deps.aiIntake.intentOf(row);
    if (intent === 'handoff') return deps.aiIntake.take(row, intent);
    const { answer: found, isOfRule } = await deps.answers.to(row, tenant);
    if (found) await reply(deps, row, found, tenant);
    if (intent === 'question' && !isOfRule) await deps.aiIntake.take(row, intent);
  }

  return {
    name: 'auto-replies',
    plan(rows) {
      const own = rows.filter((row) => isAnswered(row) && !isLateChange(row, deps.now()));
      if (own.length === 0) return null;
      return {
        async alone() {
          for (const row of own) await answer(row);
        },
      };
    },
  };
}

/** Whether claims for the message have expired, so that it may have been answered before. */
const isLateChange = ({ processed, created_at }: MessageRow, now: number): boolean =>
  processed?.includes('received') === true && created_at <= now - CLAIMS_KEPT_MS;

const isAnswered = (row: MessageRow): boolean =>
  row.direction === 'inbound' &&
  row.message_type !== 'reaction' &&
  row.status !== 'deleted' &&
  isSpoken(row) &&
  subjectOf(row.chat_id) !== null;
