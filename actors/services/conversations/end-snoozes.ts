import type { ChatPatch, ChatRow, Chats } from '../../../store/conversations/chats.ts';
import type { DueChats } from '../../../store/conversations/due-chats.ts';
import type { Released } from '../../tenant/protocol.ts';
import type { EventLog } from '../events/event-log.ts';
import { person } from '../events/message-events.ts';

/**
 * Reopens snoozed chats. A chat reopens at its snooze time or with the person's next message.
 * Before the chat changes, the event `chat.snooze_ended` is recorded under a key that contains the
 * snooze time. It is therefore recorded exactly once, despite crashes and concurrent nodes.
 */

export interface SnoozeDeps {
  readonly chats: Pick<Chats, 'change'>;
  readonly snoozes: Pick<DueChats, 'due' | 'nextDue'>;
  readonly eventLog: Pick<EventLog, 'record'>;
}

const BATCH_SIZE = 100;

export async function endDueSnoozes({ chats, snoozes, eventLog }: SnoozeDeps, tenantId: string, now: number): Promise<Released> {
  const rows = await snoozes.due(tenantId, now, BATCH_SIZE);
  for (const { session_id, chat_id, snoozed_until: until } of rows)
    await chats.change(tenantId, session_id, chat_id, async (chat): Promise<ChatPatch | null> => {
      if (chat.snoozed_until !== until) return null;
      await recordEnd(eventLog, chat, now);
      return { status: 'open', snoozed_until: null };
    });
  return { more: rows.length === BATCH_SIZE, nextAt: await snoozes.nextDue(tenantId) };
}

export async function recordEnd(eventLog: SnoozeDeps['eventLog'], chat: ChatRow, now: number): Promise<void> {
  await eventLog.record(chat.tenant_id, [
    {
      session_id: chat.session_id,
      type: 'chat.snooze_ended',
      row: `chat ${chat.id} snoozed until ${chat.snoozed_until ?? 0}`,
      occurred_at: now,
      data: { ...person(chat.chat_id) },
    },
  ]);
}
