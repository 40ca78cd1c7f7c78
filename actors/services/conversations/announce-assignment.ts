import type { ChatPatch, ChatRow, Chats } from '../../../store/conversations/chats.ts';
import type { EventLog } from '../events/event-log.ts';
import { person } from '../events/message-events.ts';
import type { Draft } from '../events/types.ts';
import { forEachTenant } from '../operations/each-tenant.ts';

export interface AnnouncingDeps {
  readonly chats: Pick<Chats, 'withOutbox' | 'announced'>;
  readonly eventLog: Pick<EventLog, 'record'>;
}

export type Announce = (chats: readonly ChatRow[]) => Promise<void>;

export function assignmentOf(chat: ChatRow, agentId: string | null, by: string | null, now: number): ChatPatch {
  return {
    agent_id: agentId,
    seeks_agent: false,
    assignments: chat.assignments + 1,
    assigned_at: now,
    assigned_by: by,
    assigned_from: chat.agent_id,
    outbox_pending: true,
  };
}

export function createAnnounce({ chats, eventLog }: AnnouncingDeps): Announce {
  return async (rows) => {
    const withOutbox = rows.filter(({ outbox_pending }) => outbox_pending);
    for (const [tenantId, own] of Map.groupBy(withOutbox, ({ tenant_id }) => tenant_id)) await eventLog.record(tenantId, own.map(eventOf));
    await chats.announced(withOutbox);
  };
}

const TOGETHER = 100;

export const processAssignmentOutbox = ({ chats }: AnnouncingDeps, announce: Announce): Promise<void> =>
  forEachTenant(TOGETHER, chats.withOutbox, announce);

/** Derives the event from the row alone, so that a repeat produces the same event. */
function eventOf({ id, session_id, chat_id, agent_id, assignments, assigned_at, assigned_by, assigned_from }: ChatRow): Draft {
  return {
    session_id,
    type: 'chat.assigned',
    row: `chat ${id}#${assignments}`,
    occurred_at: assigned_at,
    data: { ...person(chat_id), agent_id, previous_agent_id: assigned_from, assigned_by },
  };
}
