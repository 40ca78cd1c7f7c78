import type { Collection, Store } from '../port.ts';
import { type MessageRow, messagesSpec } from './messages.ts';

export interface LaneBacklog {
  readonly lane: number;
  readonly depth: number;
  readonly oldestAt: number;
}

export interface LaneBacklogs {
  of(tenantId: string, sessionId: string): Promise<readonly LaneBacklog[]>;
}

const MAX_DEPTH = 1_000;

/** Order of the index. The first message of a lane and priority is the oldest one in it. */
const ORDER = { lane: 1, priority: -1, _id: 1 } as const;

export function laneBacklogsIn(store: Store): LaneBacklogs {
  const messages: Collection<MessageRow> = store.collection<MessageRow>(messagesSpec);

  return {
    async of(tenant_id, session_id) {
      const waiting = { session_id, tenant_id, status: 'queued' } as const;
      const found: LaneBacklog[] = [];
      let next = await messages.findOne(waiting, { sort: ORDER });
      while (next !== null) {
        const { lane } = next;
        let oldestAt = next.created_at;
        for (let first: MessageRow | null = next; first !== null; ) {
          oldestAt = Math.min(oldestAt, first.created_at);
          first = await messages.findOne({ ...waiting, lane, priority: { $lt: first.priority } }, { sort: ORDER });
        }
        found.push({ lane, oldestAt, depth: await messages.countDocuments({ ...waiting, lane }, { limit: MAX_DEPTH }) });
        next = await messages.findOne({ ...waiting, lane: { $gt: lane } }, { sort: ORDER });
      }
      return found;
    },
  };
}
