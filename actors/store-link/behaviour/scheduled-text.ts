import type { ScheduledRow } from '../../../store/scheduling/scheduled.ts';
import { userJid } from '../../network/jid.ts';

interface ScheduledText {
  readonly id: string;
  readonly tenantId: string;
  readonly sessionId: string;
  readonly phone: string;
  readonly text: string;
  readonly at: number;
  readonly madeAt: number;
}

export function scheduledText({ id, tenantId, sessionId, phone, text, at, madeAt }: ScheduledText): ScheduledRow {
  const chat_id = `+${phone}`;
  return {
    _id: id,
    tenant_id: tenantId,
    session_id: sessionId,
    chat_id,
    asked: { chat_id, type: 'text', body: text },
    to: userJid(phone),
    message_type: 'text',
    body: text,
    parts: {},
    media_r2_key: null,
    quotes: null,
    priority: 0,
    scheduled_at: at,
    status: 'pending',
    message_id: null,
    error: null,
    due_at: at,
    created_at: madeAt,
  };
}
