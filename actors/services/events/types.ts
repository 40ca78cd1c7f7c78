import type { EventRow } from '../../../store/events/events.ts';

const EVENTS = [
  'message.received',
  'message.sent',
  'message.failed',
  'session.connected',
  'session.disconnected',
  'session.alert',
  'qr.generated',
] as const;

/** Events recorded only if a webhook, stream or pull reader names them, except `ALWAYS_RECORDED`. */
const NAMED_EVENTS = [
  'message.delivered',
  'message.read',
  'message.reaction',
  'message.edited',
  'message.deleted',
  'poll.vote',
  'call.received',
  'call.ended',
  'consent.changed',
  'contact.merged',
  'chat.assigned',
  'chat.snooze_ended',
  'history.loaded',
  'session.restricted',
  'session.passkey',
  'session.health',
  'template.updated',
  'group.joined',
  'group.left',
  'group.updated',
  'group.participants',
  'group.join_request',
  'label.updated',
  'label.deleted',
  'label.assigned',
  'label.unassigned',
  'blocklist.changed',
  'account.updated',
  'channel.joined',
  'channel.left',
  'channel.updated',
  'channel.stats',
  'status.failed',
  'store.event',
  'quota.warning',
  'invoice.paid',
  'invoice.refunded',
  'invoice.disputed',
  'plan.changed',
  'ai.paused',
  'privacy.erased',
  'audit.head',
  'health.changed',
  'security.sign_in',
  'security.key_created',
  'security.webhook_created',
  'security.two_factor_changed',
  'security.access_changed',
  'security.data_exported',
  'security.data_deleted',
] as const;

export const TEST_EVENT = 'webhook.test';

const STREAM_ONLY = ['blast.progress', 'blast.waiting', 'blast.paused', 'blast.completed', 'scheduled.sent', 'recurring.executed'] as const;

/** Never recorded. Sent only to live streams that name this event. */
export const CHAT_PRESENCE = 'chat.presence';

export type EventType = (typeof EVENTS)[number] | (typeof NAMED_EVENTS)[number] | typeof TEST_EVENT;

export const SUBSCRIBABLE: readonly string[] = [...EVENTS, ...NAMED_EVENTS, TEST_EVENT];

/** Events that a stream can name. Streams that name none receive `STREAMED`. */
export const STREAMABLE: readonly string[] = [...SUBSCRIBABLE, ...STREAM_ONLY, CHAT_PRESENCE];
export const STREAMED: ReadonlySet<string> = new Set([...EVENTS, TEST_EVENT, ...STREAM_ONLY]);

export interface Draft {
  readonly session_id: string | null;
  readonly type: EventType;
  /** Identifies the event together with `type`; see EventRow. */
  readonly row: string;
  readonly occurred_at: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventBody {
  readonly id: string;
  readonly type: string;
  readonly session_id: string | null;
  readonly occurred_at: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export function bodyOf({ _id: id, type, session_id, occurred_at, data }: EventRow): EventBody {
  return { id, type, session_id, occurred_at, data };
}

/** Recorded even without subscribers, for example because a passkey request expires after a minute. */
const ALWAYS_RECORDED: readonly string[] = ['chat.assigned', 'session.passkey'] satisfies readonly (typeof NAMED_EVENTS)[number][];

const named: ReadonlySet<string> = new Set(NAMED_EVENTS.filter((type) => !ALWAYS_RECORDED.includes(type)));

export const isOnlyForThoseWhoNameIt = (type: string): boolean => named.has(type);

export const linksPhone = (type: string): boolean => type === 'qr.generated';
