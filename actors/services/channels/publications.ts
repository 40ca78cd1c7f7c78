import { fairSlices } from '../../../runtime/fair-slices.ts';
import { inChunks } from '../../../runtime/in-chunks.ts';
import type { Messages, Owner } from '../../../store/messaging/messages.ts';
import type { StatusViews } from '../../../store/messaging/status-views.ts';
import { STORIES } from '../../network/jid.ts';
import type { KeptEvent } from '../../network/port.ts';
import type { Draft } from '../events/types.ts';

export interface PublicationDeps {
  readonly messages: Pick<Messages, 'postedAs' | 'ours'>;
  readonly statusViews: Pick<StatusViews, 'add'>;
  record(tenantId: string, drafts: readonly Draft[]): Promise<void>;
  now(): number;
}

type EventOf<T> = Extract<KeptEvent, { readonly type: T }>;

export interface KeepPublications {
  stats(owner: Owner, event: EventOf<'postStats'>): Promise<void>;
  viewed(owner: Owner, event: EventOf<'statusViewed'>): Promise<void>;
}

/** Statuses per time slice. A receipt may name 2,048, and looking up all would block other work. */
const LOOKED_UP_TOGETHER = 50;

export function createPublicationKeeper({ messages, statusViews, record, now }: PublicationDeps): KeepPublications {
  return {
    async stats({ tenantId, sessionId }, { token, at, stats }) {
      const { channel: channel_id, serverId, views, reactions } = stats;
      const post = await messages.postedAs(sessionId, channel_id, serverId);
      // Posts made on the phone are not stored here, so they have no message.
      if (!post) return;
      const data = { channel_id, by: null, at, message_id: post._id, views, reactions };
      const row = `stats ${sessionId}:${token}`;
      await record(tenantId, [{ session_id: sessionId, type: 'channel.stats', row, occurred_at: at, data }]);
    },

    async viewed({ tenantId: tenant_id, sessionId: session_id }, { netIds, viewer, at }) {
      const { phone, lid, name } = viewer;
      const keep = async (net_id: string): Promise<void> => {
        const status = await messages.ours(session_id, net_id);
        // Statuses posted on the phone are not shown here, so their views are not kept.
        if (status?.chat_id !== STORIES) return;
        // Some receipts contain no time, so the current time is used.
        await statusViews.add({ tenant_id, session_id, net_id, phone, lid, name, at: at > 0 ? at : now() }, now());
      };
      for (const some of inChunks([...new Set(netIds)], LOOKED_UP_TOGETHER))
        await fairSlices.run(tenant_id, async () => {
          for (const net_id of some) await keep(net_id);
        });
    },
  };
}
