import type { Collection, Doc, Filter } from '../port.ts';
import { hooksOf } from '../store-links/hooks.ts';

export interface TenantScope {
  readonly tenantId: string;
  readonly sessions: readonly string[];
  readonly rotators: readonly string[];
  readonly campaigns: readonly string[];
  readonly links: readonly string[];
  readonly documents: readonly string[];
  readonly counted: readonly string[];
}

type Owned = (scope: TenantScope) => readonly Filter[];

const ofTenant: Owned = ({ tenantId }) => [{ tenant_id: tenantId }];
const itself: Owned = ({ tenantId }) => [{ _id: tenantId }];
const byKey: Owned = ({ tenantId }) => [{ _id: { $gt: `${tenantId}:`, $lt: `${tenantId};` } }];
const ofDevices: Owned = ({ sessions }) => sessions.map((session_id) => ({ session_id }));

/**
 * In the order of deletion. A record comes after the records that a restarted deletion finds
 * through it.
 */
const OWNED: Readonly<Record<string, Owned>> = {
  api_keys: ofTenant,
  logins: ofTenant,
  passkeys: ofTenant,
  second_factors: ofTenant,
  push_subscriptions: ofTenant,
  webhooks: ofTenant,
  deliveries: ofTenant,
  scheduled: ofDevices,
  recurring: ofDevices,
  campaign_recipients: ({ campaigns }) => campaigns.map((blast_id) => ({ blast_id })),
  campaigns: ofTenant,
  draft_reservations: itself,
  message_actions: ofDevices,
  received_actions: ofDevices,
  poll_votes: ofDevices,
  member_receipts: ofDevices,
  saved_names: ofTenant,
  groups: ofTenant,
  channels: ofTenant,
  channel_intents: ofDevices,
  official_hooks: ofDevices,
  move_ins: ofDevices,
  official_people: ofTenant,
  official_months: ofTenant,
  official_reach: ofTenant,
  status_views: ofDevices,
  messages: ofDevices,
  chats: ofTenant,
  contacts: ofTenant,
  contact_merges: ofTenant,
  contact_groups: ofTenant,
  tags: ofTenant,
  attributes: ofTenant,
  segments: ofTenant,
  templates: ofTenant,
  consents: byKey,
  consent_history: ({ tenantId }) => [{ record: { $gt: `${tenantId}:`, $lt: `${tenantId};` } }],
  consent_configs: itself,
  identities: ofTenant,
  import_files: ofTenant,
  jobs: ofTenant,
  idempotency: byKey,
  rotator_chats: ({ rotators }) => rotators.map((rotator_id) => ({ rotator_id })),
  rotators: ofTenant,
  auto_reply_turns: ({ counted }) => counted.map((of) => ({ of })),
  auto_replies: ({ sessions }) => [{ _id: { $in: sessions } }],
  store_hooks: ({ links }) => links.map((link) => hooksOf(link)),
  store_memory: ({ links }) => links.map((link_id) => ({ link_id })),
  store_links: ofTenant,
  ai_passages: ({ documents }) => documents.map((document_id) => ({ document_id })),
  ai_documents: ofTenant,
  ai_answers: ofTenant,
  ai_chats: ofTenant,
  ai_unanswered: ofTenant,
  ai_settings: itself,
  ai_document_shares: itself,
  ai_reading_attempts: byKey,
  ai_reply_counts: byKey,
  known_addresses: byKey,
  security_cursors: itself,
  agents: ofTenant,
  assignments: itself,
  media: ofTenant,
  derived_files: ofTenant,
  media_usage: itself,
  events: ofTenant,
  event_heads: itself,
  event_interests: ofTenant,
  event_readers: itself,
  usage: ofTenant,
  analytics_buckets: ofTenant,
  wakeups: itself,
  credentials: ({ sessions }) => [{ _id: { $in: sessions } }],
  keys: ofDevices,
  device_blocks: ({ sessions }) => sessions.map((id) => ({ _id: { $gt: `${id}:`, $lt: `${id};` } })),
  device_days: ({ sessions }) => sessions.map((id) => ({ _id: { $gt: `${id}:`, $lt: `${id};` } })),
  devices: ofTenant,
  removed_devices: ofTenant,
  billing_accounts: itself,
  // Numbered invoices belong to the operator's accounts and are kept.
  invoices: ({ tenantId }) => [{ tenant_id: tenantId, number: null }],
  privacy_erasures: ofTenant,
  privacy_exports: ofTenant,
  privacy_export_files: ofTenant,
  privacy_holds: ofTenant,
  privacy_retention: itself,
};

export function withScope(one: TenantScope, other: TenantScope = one): TenantScope {
  const both = (name: Exclude<keyof TenantScope, 'tenantId'>): readonly string[] => [...new Set([...one[name], ...other[name]])];
  return {
    tenantId: one.tenantId,
    sessions: both('sessions'),
    rotators: both('rotators'),
    campaigns: both('campaigns'),
    links: both('links'),
    documents: both('documents'),
    counted: both('counted'),
  };
}

export const OWNED_COLLECTIONS: readonly string[] = Object.keys(OWNED);

const TOGETHER = 500;

export async function clearBelongings(collection: Collection<Doc>, name: string, scope: TenantScope): Promise<number> {
  let removed = 0;
  for (const filter of OWNED[name]?.(scope) ?? [])
    for (;;) {
      const part = await collection.find(filter, { projection: { _id: 1 }, limit: TOGETHER }).toArray();
      if (part.length === 0) break;
      removed += (await collection.deleteMany({ _id: { $in: part.map(({ _id }) => _id) } })).deletedCount;
    }
  return removed;
}
