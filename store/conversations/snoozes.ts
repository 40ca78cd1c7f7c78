import type { Filter, Store } from '../port.ts';
import type { Overdue, OverdueList } from '../scheduling/overdue.ts';
import type { ChatRow } from './chat-row.ts';
import { chatsSpec } from './chats.ts';

/** Chats that are set aside until a time; it stands in their rows as `snoozed_until` (epoch ms). */
export interface Snoozes extends OverdueList {
  /** Those of a tenant whose time has come, the earliest first. */
  due(tenantId: string, now: number, limit: number): Promise<readonly ChatRow[]>;
  /** When the next one of a tenant ends; null: none is set aside. */
  nextDue(tenantId: string): Promise<number | null>;
}

export function snoozesIn(store: Store): Snoozes {
  const chats = store.collection<ChatRow>(chatsSpec);
  const EARLIEST = { snoozed_until: 1 } as const;
  return {
    due: (tenant_id, now, limit) => chats.find({ tenant_id, snoozed_until: { $gte: 0, $lte: now } }, { sort: EARLIEST, limit }).toArray(),

    nextDue: async (tenant_id) =>
      (await chats.findOne({ tenant_id, snoozed_until: { $gte: 0 } }, { sort: EARLIEST }))?.snoozed_until ?? null,

    async overdue(before: number, after: Overdue | null, limit: number) {
      const behind: Filter = after ? { $or: [{ snoozed_until: { $gt: after.due_at } }, { _id: { $gt: after._id } }] } : {};
      const found = await chats
        .find(
          { snoozed_until: { $gte: after?.due_at ?? 0, $lte: before }, ...behind },
          { sort: { snoozed_until: 1, _id: 1 }, limit, projection: { tenant_id: 1, snoozed_until: 1 } },
        )
        .toArray();
      return found.map(({ _id, tenant_id, snoozed_until }) => ({ _id, tenant_id, due_at: snoozed_until ?? 0 }));
    },
  };
}
