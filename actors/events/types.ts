import type { EventRow } from '../../store/events.ts';

/** spec.md part 6, but for `webhook.test`, which nobody subscribes to. */
const EVENTS = [
  'message.received',
  'message.sent',
  'message.failed',
  'session.connected',
  'session.disconnected',
  'session.alert',
  'qr.generated',
] as const;

/** api.md "Webhooks and live stream": delivered to webhooks that name them. */
const NAMED_EVENTS = [
  'message.delivered',
  'message.read',
  'message.reaction',
  'message.edited',
  'message.deleted',
  'poll.vote',
  'call.received',
  'consent.changed',
  'chat.assigned',
  'session.restricted',
  'session.passkey',
] as const;

export const TEST_EVENT = 'webhook.test';

export type EventType = (typeof EVENTS)[number] | (typeof NAMED_EVENTS)[number] | typeof TEST_EVENT;

/** What a webhook may name. */
export const SUBSCRIBABLE: readonly string[] = [...EVENTS, ...NAMED_EVENTS, TEST_EVENT];

/** An event as it is derived from the row that changed, before it is recorded. */
export interface Draft {
  readonly session_id: string | null;
  readonly type: EventType;
  /** See EventRow: the same `row` and `type` is the same event. */
  readonly row: string;
  /** Epoch ms. */
  readonly occurred_at: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The body of a delivery (spec.md part 6), of a line of the live stream and of a pulled event. */
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

/**
 * Streams and those who pull hear of these, though they cannot name them: whose a chat is decides what agents see, and who links a phone has a
 * minute for a passkey.
 */
const ALWAYS_RECORDED: readonly string[] = ['chat.assigned', 'session.passkey'] satisfies readonly (typeof NAMED_EVENTS)[number][];

const named: ReadonlySet<string> = new Set(NAMED_EVENTS.filter((type) => !ALWAYS_RECORDED.includes(type)));

/** Is it only for those who name it, and not recorded while no webhook does? */
export const isOnlyForThoseWhoNameIt = (type: string): boolean => named.has(type);
