import { inChunks } from '../../../runtime/in-chunks.ts';
import type { ApiKeys } from '../../../store/accounts/api-keys.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { Agents } from '../../../store/agents/agents.ts';
import type { Campaigns } from '../../../store/campaigns/campaigns.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { StoreLinks } from '../../../store/store-links/links.ts';

/**
 * Determines who or what wrote a message. A message's row contains its direction, its caller, and
 * marks of automatic senders. It contains no names: these are read from the current team, keys,
 * campaigns and stores. If someone is renamed, the new name is shown everywhere; if someone is
 * erased, no name remains.
 */

export const SENDER_KINDS = ['person', 'owner', 'agent', 'api_key', 'auto_reply', 'ai', 'campaign', 'scheduled', 'store', 'phone'] as const;

export interface SentBy {
  readonly kind: (typeof SENDER_KINDS)[number];
  readonly id: string | null;
  readonly name: string | null;
}

function senderOf(row: MessageRow): Omit<SentBy, 'name'> | null {
  const { direction, from_phone, history, blast_id, made_by, ai, automatic, written_by, origin } = row;
  if (direction === 'inbound') return { kind: 'person', id: row.sender };
  if (from_phone || history !== undefined) return { kind: 'phone', id: null };
  if (blast_id !== undefined) return { kind: 'campaign', id: blast_id };
  if (ai) return { kind: 'ai', id: null };
  if (automatic) return { kind: 'auto_reply', id: null };
  if (made_by?.kind === 'store') return { kind: 'store', id: made_by.id };
  if (origin) return { kind: 'scheduled', id: origin.id };
  if (written_by !== undefined) return { kind: written_by === row.tenant_id ? 'owner' : 'agent', id: written_by };
  if (row.message_type === 'reaction') return null;
  return { kind: 'api_key', id: made_by?.id ?? null };
}

export interface SenderDeps {
  readonly tenants: Pick<Tenants, 'find'>;
  readonly agents: Pick<Agents, 'find'>;
  readonly apiKeys: Pick<ApiKeys, 'find'>;
  readonly campaigns: Pick<Campaigns, 'find'>;
  readonly links: Pick<StoreLinks, 'find'>;
}

export type Senders = (tenantId: string, rows: readonly MessageRow[]) => Promise<(row: MessageRow) => SentBy | null>;

const LOOKED_UP_TOGETHER = 10;

export function createSenders({ tenants, agents, apiKeys, campaigns, links }: SenderDeps): Senders {
  const nameOf = async (tenantId: string, { kind, id }: { readonly kind: SentBy['kind']; readonly id: string }): Promise<string | null> => {
    switch (kind) {
      case 'owner':
        return (await tenants.find(tenantId))?.name ?? null;
      case 'agent':
        return (await agents.find(tenantId, id))?.name ?? null;
      case 'api_key':
        return (await apiKeys.find(tenantId, id))?.name ?? null;
      case 'campaign':
        return (await campaigns.find(tenantId, id))?.name ?? null;
      case 'store':
        return (await links.find(tenantId, id))?.name ?? null;
      default:
        return null;
    }
  };

  return async (tenantId, rows) => {
    const wanted = new Map<string, { readonly kind: SentBy['kind']; readonly id: string }>();
    for (const row of rows) {
      const sender = senderOf(row);
      if (sender && sender.id !== null && NAMED.has(sender.kind))
        wanted.set(`${sender.kind} ${sender.id}`, { kind: sender.kind, id: sender.id });
    }
    const names = new Map<string, string | null>();
    for (const some of inChunks([...wanted], LOOKED_UP_TOGETHER))
      await Promise.all(some.map(async ([key, sender]) => names.set(key, await nameOf(tenantId, sender))));
    return (row) => {
      const sender = senderOf(row);
      if (!sender) return null;
      const name = sender.kind === 'person' ? row.sender_name : (names.get(`${sender.kind} ${sender.id}`) ?? null);
      return { ...sender, name };
    };
  };
}

const NAMED: ReadonlySet<string> = new Set<SentBy['kind']>(['owner', 'agent', 'api_key', 'campaign', 'store']);
