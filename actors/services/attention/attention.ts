import type { Usage } from '../../../store/accounts/usage.ts';
import type { Documents } from '../../../store/ai-reply/documents.ts';
import type { ChatFilter, Chats } from '../../../store/conversations/chats.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import type { MessageRow, Messages } from '../../../store/messaging/messages.ts';
import type { StoreLinks } from '../../../store/store-links/links.ts';
import type { Deliveries } from '../../../store/webhooks/deliveries.ts';
import type { Plan } from '../../domain/plans.ts';
import type { Visibility } from '../conversations/visibility.ts';
import { monthOf } from '../messaging/sending.ts';
import { type ChecklistDeps, checklistOf, STEPS } from '../onboarding/checklist.ts';

/**
 * Lists the items that need a person's attention now. Nothing is stored: each request derives them
 * from devices, chats, messages and settings, with bounded reads. An agent gets only the chats that
 * they may see, and a restricted key only its devices. Neither gets items about the whole business.
 */

export interface AttentionDeps extends ChecklistDeps {
  readonly devices: Pick<Devices, 'list'>;
  readonly messages: Pick<Messages, 'list'>;
  readonly chats: Pick<Chats, 'list'>;
  readonly visibility: Visibility;
  readonly usage: Pick<Usage, 'messages'>;
  readonly links: Pick<StoreLinks, 'list'>;
  readonly deliveries: Pick<Deliveries, 'list'>;
  readonly documentRows: Pick<Documents, 'list'>;
}

export const ATTENTION_KINDS = ['failed_messages', 'device', 'waiting_chats', 'quota', 'store', 'webhook', 'document', 'setup'] as const;

export interface AttentionItem {
  readonly kind: (typeof ATTENTION_KINDS)[number];
  readonly count: number;
  readonly oldest_at: number | null;
  readonly ref: { readonly kind: 'session' | 'store' | 'webhook' | 'document'; readonly id: string } | null;
}

/** Null means no restriction. `agentId` is set for an agent, `sessionIds` for a restricted key. */
export interface Asker {
  readonly tenantId: string;
  readonly agentId: string | null;
  readonly sessionIds: readonly string[] | null;
  readonly plan: Plan;
}

const COUNTED = 200;
const DAY_MS = 86_400_000;
const SNOOZED_TOO_LONG_MS = 7 * DAY_MS;
const QUOTA_SHARE = 0.9;

export async function attentionFor(deps: AttentionDeps, asker: Asker, now: number): Promise<readonly AttentionItem[]> {
  const { tenantId, agentId, sessionIds } = asker;
  const devices = await deps.devices.list(tenantId, sessionIds);
  const isWhole = agentId === null && sessionIds === null;
  const parts = await Promise.all([
    failedMessages(deps, devices, agentId, now),
    agentId === null ? devices.flatMap((device) => troubled(device)) : [],
    waitingChats(deps, asker, now),
    ...(isWhole
      ? [
          quota(deps, asker, now),
          stores(deps, tenantId),
          webhooks(deps, tenantId, now),
          documents(deps, tenantId),
          setup(deps, tenantId, now),
        ]
      : []),
  ]);
  return parts.flat();
}

const earliest = (times: readonly number[]): number | null => (times.length > 0 ? Math.min(...times) : null);

async function failedMessages(
  { messages, visibility }: AttentionDeps,
  devices: readonly DeviceRow[],
  agentId: string | null,
  now: number,
): Promise<AttentionItem[]> {
  const items: AttentionItem[] = [];
  for (const device of devices) {
    const page = { limit: COUNTED, before: null, beforeId: null, now };
    const rows = await Array.fromAsync(messages.list(device.tenant_id, device._id, { status: 'failed', since: now - DAY_MS }, page));
    const keep = visibility.filter(agentId, device, (row: MessageRow) => row.chat_id);
    const seen = (keep ? await keep(rows) : rows).filter(({ direction }) => direction === 'outbound');
    const oldest_at = earliest(seen.map(({ created_at }) => created_at));
    if (seen.length > 0) items.push({ kind: 'failed_messages', count: seen.length, oldest_at, ref: { kind: 'session', id: device._id } });
  }
  return items;
}

function troubled({ _id, status, phone_number, offline_since = null }: DeviceRow): AttentionItem[] {
  const isTroubled = status === 'failed' || (status === 'disconnected' && phone_number !== null);
  return isTroubled ? [{ kind: 'device', count: 1, oldest_at: offline_since, ref: { kind: 'session', id: _id } }] : [];
}

async function waitingChats({ chats }: AttentionDeps, { tenantId, agentId, sessionIds }: Asker, now: number): Promise<AttentionItem[]> {
  if (sessionIds?.length === 0) return [];
  const sight: ChatFilter = { ...(agentId !== null && { seenBy: agentId }), ...(sessionIds && { session_ids: sessionIds }) };
  const page = { limit: COUNTED, before: null, beforeId: null, now };
  const [open, snoozed] = await Promise.all([
    Array.fromAsync(chats.list(tenantId, { ...sight, status: 'open', archived: false }, page)),
    Array.fromAsync(chats.list(tenantId, { ...sight, snoozed: true }, page)),
  ]);
  const late = snoozed.filter(({ snoozed_at }) => snoozed_at !== undefined && snoozed_at <= now - SNOOZED_TOO_LONG_MS);
  const waiting = [...open, ...late].filter(
    (chat) => chat.is_group === 0 && chat.last_inbound_id !== '' && chat.last_inbound_id === chat.last_message_id,
  );
  const oldest_at = earliest(waiting.map(({ last_message_at }) => last_message_at));
  return waiting.length > 0 ? [{ kind: 'waiting_chats', count: waiting.length, oldest_at, ref: null }] : [];
}

async function quota({ usage }: AttentionDeps, { tenantId, plan }: Asker, now: number): Promise<AttentionItem[]> {
  const used = await usage.messages(tenantId, monthOf(now, plan.zone));
  if (plan.overage || used < plan.messages * QUOTA_SHARE) return [];
  return [{ kind: 'quota', count: Math.max(0, plan.messages - used), oldest_at: null, ref: null }];
}

async function stores({ links }: AttentionDeps, tenantId: string): Promise<AttentionItem[]> {
  const failing = (await links.list(tenantId)).filter(
    ({ enabled, last_error, secret, session_id }) => enabled && (last_error !== null || secret === null || session_id === null),
  );
  return failing.map(({ _id, last_event_at }) => ({ kind: 'store', count: 1, oldest_at: last_event_at, ref: { kind: 'store', id: _id } }));
}

async function webhooks({ deliveries }: AttentionDeps, tenantId: string, now: number): Promise<AttentionItem[]> {
  const page = { limit: COUNTED, before: null, beforeId: null, now };
  const failed = (await Array.fromAsync(deliveries.list(tenantId, { status: 'failed' }, page))).filter(
    ({ created_at }) => created_at >= now - DAY_MS,
  );
  return [...Map.groupBy(failed, ({ webhook_id }) => webhook_id)].map(([id, own]) => ({
    kind: 'webhook',
    count: own.length,
    oldest_at: earliest(own.map(({ created_at }) => created_at)),
    ref: { kind: 'webhook', id },
  }));
}

async function documents({ documentRows }: AttentionDeps, tenantId: string): Promise<AttentionItem[]> {
  const failed = (await documentRows.list(tenantId)).filter(({ status }) => status === 'failed');
  return failed.map(({ _id, updated_at }) => ({ kind: 'document', count: 1, oldest_at: updated_at, ref: { kind: 'document', id: _id } }));
}

async function setup(deps: AttentionDeps, tenantId: string, now: number): Promise<AttentionItem[]> {
  const { done } = await checklistOf(deps, tenantId, now);
  const count = Object.keys(STEPS).length - done.size;
  return count > 0 ? [{ kind: 'setup', count, oldest_at: null, ref: null }] : [];
}
