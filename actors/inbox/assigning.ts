import type { ChatPatch, ChatRow, Chats } from '../../store/chats.ts';
import type { EventLog } from '../events/event-log.ts';
import { person } from '../events/message-events.ts';
import type { Draft } from '../events/types.ts';

export interface AnnouncingPorts {
  readonly chats: Pick<Chats, 'owing' | 'announced'>;
  readonly eventLog: Pick<EventLog, 'record'>;
}

/** Records `chat.assigned` of chats that owe it. Idempotent. */
export type Announce = (chats: readonly ChatRow[]) => Promise<void>;

/** What an assignment changes of a chat; `by` is who decided (an agent's id, the tenant's for its owner and keys), null: the rule of the tenant. */
export function assignmentOf(chat: ChatRow, agentId: string | null, by: string | null, now: number): ChatPatch {
  return {
    agent_id: agentId,
    seeks_agent: false,
    assignments: chat.assignments + 1,
    assigned_at: now,
    assigned_by: by,
    assigned_from: chat.agent_id,
    owes: true,
  };
}

export function createAnnounce({ chats, eventLog }: AnnouncingPorts): Announce {
  return async (rows) => {
    const owing = rows.filter(({ owes }) => owes);
    for (const [tenantId, own] of Map.groupBy(owing, ({ tenant_id }) => tenant_id)) await eventLog.record(tenantId, own.map(eventOf));
    await chats.announced(owing);
  };
}

const TOGETHER = 100;

/** Announces what is owed by chats whose assigner died first, or that many were assigned at once; for a sweep. */
export async function announceOwed({ chats }: AnnouncingPorts, announce: Announce): Promise<void> {
  for (;;) {
    const owing = await chats.owing(TOGETHER);
    await announce(owing);
    if (owing.length < TOGETHER) return;
  }
}

/** Derived from the row alone: the same each time. */
function eventOf({ id, session_id, chat_id, agent_id, assignments, assigned_at, assigned_by, assigned_from }: ChatRow): Draft {
  return {
    session_id,
    type: 'chat.assigned',
    row: `chat ${id}#${assignments}`,
    occurred_at: assigned_at,
    data: { ...person(chat_id), agent_id, previous_agent_id: assigned_from, assigned_by },
  };
}
