import type { Filter, Store } from '../port.ts';
import type { Overdue, OverdueList } from '../scheduling/overdue.ts';
import type { ChatRow } from './chat-row.ts';
import { chatsSpec } from './chats.ts';

export type DueField = 'snoozed_until' | 'older_until';

export interface DueChats extends OverdueList {
  due(tenantId: string, now: number, limit: number): Promise<readonly ChatRow[]>;
  nextDue(tenantId: string): Promise<number | null>;
  ofDevice(tenantId: string, sessionId: string, limit: number): Promise<readonly ChatRow[]>;
}

export function dueChatsIn(store: Store, field: DueField): DueChats {
  const chats = store.collection<ChatRow>(chatsSpec);
  const EARLIEST = { [field]: 1 } as const;
  return {
    due: (tenant_id, now, limit) => chats.find({ tenant_id, [field]: { $gte: 0, $lte: now } }, { sort: EARLIEST, limit }).toArray(),

    nextDue: async (tenant_id) => (await chats.findOne({ tenant_id, [field]: { $gte: 0 } }, { sort: EARLIEST }))?.[field] ?? null,

    ofDevice: (tenant_id, session_id, limit) => chats.find({ session_id, tenant_id, [field]: { $gte: 0 } }, { limit }).toArray(),

    async overdue(before: number, after: Overdue | null, limit: number) {
      const behind: Filter = after ? { $or: [{ [field]: { $gt: after.due_at } }, { _id: { $gt: after._id } }] } : {};
      const found = await chats
        .find(
          { [field]: { $gte: after?.due_at ?? 0, $lte: before }, ...behind },
          { sort: { [field]: 1, _id: 1 }, limit, projection: { tenant_id: 1, [field]: 1 } },
        )
        .toArray();
      return found.map(({ _id, tenant_id, [field]: at }) => ({ _id, tenant_id, due_at: at ?? 0 }));
    },
  };
}
