import type { Collection, Store } from '../port.ts';
import { type MessageRow, messagesSpec } from './messages.ts';

export interface LaneBacklog {
  readonly lane: number;
  /** Number of messages, counted up to `MAX_DEPTH`. */
  readonly depth: number;
  /** When the oldest waiting message was accepted, epoch ms. */
  readonly oldestAt: number;
}

export interface LaneBacklogs {
  /** Lanes with waiting messages. Each query is bounded, whatever the backlog. */
  of(tenantId: string, sessionId: string): Promise<readonly LaneBacklog[]>;
}

const MAX_DEPTH = 1_000;

/** The order of the index: the first message of a lane and priority is the oldest of them. */
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
        // At most ten priorities.
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
