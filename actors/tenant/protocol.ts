import type { ReplyTo } from '../../runtime/behaviour.ts';
import type { TenantOwner } from '../../store/agenda.ts';
import type { DeliveryRow, Taken } from '../../store/deliveries.ts';
import type { WebhookRow } from '../../store/webhooks.ts';
import type { Released } from '../later/release.ts';

/** What the rest of the system may say to a tenant. The first two are hints: what they tell of is in the store, and on the agenda. */
export type TenantCommand =
  | { readonly type: 'eventsArrived'; readonly replyTo: ReplyTo<null> }
  /** It was made, changed or removed, or somebody asked for a delivery to it. */
  | { readonly type: 'webhookChanged'; readonly webhookId: string; readonly replyTo: ReplyTo<null> }
  /** It will run elsewhere: starts nothing more. Answered when no attempt is under way. */
  | { readonly type: 'rest'; readonly replyTo: ReplyTo<null> };

/** What a tenant hears from its own store, requests and timers. */
export type TenantEvent =
  | { readonly type: 'looked'; readonly round: number; readonly seen: Seen }
  | { readonly type: 'taken'; readonly round: number; readonly webhookId: string; readonly taken: Taken }
  /** An attempt is over and recorded; `nextAt`: when the next one is due, null: none is. */
  | { readonly type: 'attempted'; readonly webhookId: string; readonly id: string; readonly nextAt: number | null }
  /** `isDone` false: something was put on the agenda since. */
  | { readonly type: 'crossedOff'; readonly isDone: boolean; readonly dueAt: number | null }
  /** What was due is with its devices. */
  | { readonly type: 'released'; readonly released: Released }
  | { readonly type: 'retryDue' }
  | { readonly type: 'lookDue' }
  /** A read or write of ours failed; what it was about is still in the store. */
  | { readonly type: 'storeFailed' }
  /** Another node owns this tenant now, or may do so any moment. */
  | { readonly type: 'fenced' };

/** What a look at the store found and did. */
export interface Seen {
  /** The agenda's, before the look. */
  readonly rev: number;
  /** What of it concerns sends for later. */
  readonly sendsRev: number;
  readonly webhooks: readonly WebhookRow[];
  /** Deliveries just made of new events. */
  readonly fresh: readonly DeliveryRow[];
  /** Deliveries may wait that are neither in `fresh` nor known here. */
  readonly others: boolean;
  /** More events wait to become deliveries. */
  readonly moreEvents: boolean;
  /** When a device has been offline for too long; null: none is. */
  readonly alertAt: number | null;
}

/** One webhook's side. Rows live in the store; here is what is under way and what comes next. */
export interface Endpoint {
  readonly webhook: WebhookRow;
  readonly queue: readonly DeliveryRow[];
  readonly inFlight: ReadonlySet<string>;
  /** More may be due in the store. */
  readonly more: boolean;
  /** The store was asked what waits, and has not answered. */
  readonly isTaking: boolean;
  /** Attempts that ended since it was asked: its answer may still show them as waiting. */
  readonly over: ReadonlySet<string>;
  /** The store was asked since the look began that is under way: what the look makes may be in that answer. */
  readonly isRead: boolean;
  /** When the next retry is due, as far as known. */
  readonly nextAt: number | null;
}

/** Sends for later: rows live in the store; here is when the next is due. */
export interface Sends {
  /** The agenda's count of them that `nextAt` includes. */
  readonly rev: number;
  /** `again`: more came while it was being released. */
  readonly phase: 'idle' | 'releasing' | 'again';
  readonly nextAt: number | null;
}

export interface TenantState {
  readonly owner: TenantOwner;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** `again`: more came while the store was being looked at. */
  readonly look: 'none' | 'looking' | 'again';
  /** Raised when what was asked of the store counts no more: answers of an older round are not heard. */
  readonly round: number;
  /** All webhooks may have something due that is not known here. */
  readonly isFull: boolean;
  readonly alertAt: number | null;
  readonly sends: Sends;
  /** The agenda's state that all of the above includes. */
  readonly rev: number;
  /** What the agenda says is due next; undefined: not what we know. */
  readonly crossedOff: number | null | undefined;
  readonly resting: ReplyTo<null> | null;
}

export type TenantEffect =
  | { readonly do: 'look'; readonly round: number }
  | { readonly do: 'release' }
  | { readonly do: 'take'; readonly round: number; readonly webhookId: string; readonly limit: number }
  | { readonly do: 'attempt'; readonly webhook: WebhookRow; readonly row: DeliveryRow }
  | { readonly do: 'crossOff'; readonly rev: number; readonly dueAt: number | null };
