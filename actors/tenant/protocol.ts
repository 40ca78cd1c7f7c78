import type { ReplyTo } from '../../runtime/actor-system/behaviour.ts';
import type { EffectScopes } from '../../runtime/cluster/leased-actor.ts';
import type { TenantOwner } from '../../store/scheduling/wakeups.ts';
import type { DeliveryRow, Room, Taken, WaitingDelivery } from '../../store/webhooks/deliveries.ts';
import type { OpenedWebhook, WebhookRow } from '../../store/webhooks/webhooks.ts';

/** Commands to a tenant. The first two are hints: their content is in the store and in the wakeups. */
export type TenantCommand =
  | { readonly type: 'eventsArrived'; readonly replyTo: ReplyTo<null> }
  /** A webhook was created, changed or removed, or a delivery to it was requested. */
  | { readonly type: 'webhookChanged'; readonly webhookId: string; readonly replyTo: ReplyTo<null> }
  /** It will run elsewhere: starts nothing more. Answered when no attempt is under way. */
  | { readonly type: 'drain'; readonly replyTo: ReplyTo<null> };

/** What came of sending what was due. */
export interface Released {
  /** More is due already. */
  readonly more: boolean;
  /** When the next is; null: nothing waits. */
  readonly nextAt: number | null;
}

/** Events of a tenant: results of its own store requests, deliveries and timers. */
export type TenantEvent =
  | { readonly type: 'snapshotLoaded'; readonly round: number; readonly snapshot: Snapshot }
  | { readonly type: 'taken'; readonly round: number; readonly webhookId: string; readonly taken: Taken }
  /** An attempt is over and recorded; `nextAt`: when the next one is due, null: none is. `pace`: how the endpoint keeps up. */
  | {
      readonly type: 'attempted';
      readonly webhookId: string;
      readonly id: string;
      readonly nextAt: number | null;
      readonly pace: EndpointPace;
    }
  /** `isDone` false: something was put on the wakeups since. */
  | { readonly type: 'wakeupAcked'; readonly isDone: boolean; readonly dueAt: number | null }
  /** The due sends were handed to their devices. */
  | { readonly type: 'released'; readonly released: Released }
  /** What was due of the account is done. */
  | { readonly type: 'billed'; readonly released: Released }
  /** Chats in which somebody waits for an AI reply now, and when somebody else will. */
  | { readonly type: 'questionsFound'; readonly chats: readonly string[]; readonly nextAt: number | null }
  | { readonly type: 'chatAnswered'; readonly chat: string }
  | { readonly type: 'retryDue' }
  | { readonly type: 'pollDue' }
  /** A read or write of ours failed; what it was about is still in the store. */
  | { readonly type: 'storeFailed' }
  /** Another node owns this tenant now, or may do so any moment. */
  | { readonly type: 'fenced' };

/** The data that one look at the store loads, and what it did. */
export interface Snapshot {
  /** The count of the wakeups row, before the look. */
  readonly rev: number;
  /** The part about scheduled sends. */
  readonly sendsRev: number;
  /** What of it concerns the account. */
  readonly billingRev: number;
  /** What of it concerns questions for AI replies. */
  readonly questionsRev: number;
  readonly webhooks: readonly OpenedWebhook[];
  /** Deliveries just made of new events. */
  readonly fresh: readonly DeliveryRow[];
  /** Deliveries may wait that are neither in `fresh` nor known here. */
  readonly others: boolean;
  /** More events wait to become deliveries. */
  readonly moreEvents: boolean;
  /** When a device has been offline for too long; null: none is. */
  readonly alertAt: number | null;
}

/** How an endpoint kept up with one request: it took it at once, it took it, or it did not or took very long. */
export type EndpointPace = 'quick' | 'steady' | 'slow';

/** The state of one webhook. Rows are in the store; this is the work in progress and the next step. */
export interface Endpoint {
  readonly webhook: OpenedWebhook;
  readonly queue: readonly WaitingDelivery[];
  readonly inFlight: ReadonlySet<string>;
  /** How many may be in flight: more while it answers quickly, fewer when it does not. */
  readonly window: number;
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

/** Work whose rows live in the store, as sends for later do; here is when the next is due. */
export interface DueWork {
  /** The count of the wakeups row that `nextAt` includes. */
  readonly rev: number;
  /** `again`: more came while it was being done. */
  readonly phase: 'idle' | 'running' | 'again';
  readonly nextAt: number | null;
}

/** Chats that wait for AI replies: rows live in the store; here is what is under way, and when the next is due. */
export interface Questions {
  /** The count of the wakeups row that `nextAt` includes. */
  readonly rev: number;
  /** `again`: more came while it was being looked for. */
  readonly phase: 'idle' | 'looking' | 'again';
  readonly nextAt: number | null;
  readonly answering: ReadonlySet<string>;
}

export interface TenantState {
  readonly owner: TenantOwner;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** `again`: more came while the store was being looked at. */
  readonly poll: 'none' | 'loading' | 'again';
  /** Raised when pending store requests become void: answers of an older round are ignored. */
  readonly round: number;
  /** All webhooks may have something due that is not known here. */
  readonly isFull: boolean;
  readonly alertAt: number | null;
  readonly sends: DueWork;
  readonly billing: DueWork;
  readonly questions: Questions;
  /** The state of the wakeups row that all of the above includes. */
  readonly rev: number;
  /** The next due time in the wakeups; undefined: unknown. */
  readonly wakeupAcked: number | null | undefined;
  readonly draining: ReplyTo<null> | null;
}

export type TenantEffect =
  /** `known`: the webhooks that it has work for. */
  | { readonly do: 'poll'; readonly round: number; readonly known: readonly string[] }
  | { readonly do: 'release' }
  | { readonly do: 'bill' }
  | { readonly do: 'findQuestions' }
  | { readonly do: 'answerChat'; readonly chat: string }
  | { readonly do: 'take'; readonly round: number; readonly webhookId: string; readonly room: Room }
  | { readonly do: 'attempt'; readonly webhook: WebhookRow; readonly row: WaitingDelivery }
  | { readonly do: 'ackWakeup'; readonly rev: number; readonly dueAt: number | null };

/**
 * Deliveries and events are shared by all of a tenant and know no epoch. `bill` asks payment providers, `answerChat` the engine of AI replies,
 * `attempt` calls a webhook.
 */
export const TENANT_EFFECTS: EffectScopes<TenantEffect> = {
  poll: 'guarded',
  release: 'guarded',
  bill: 'network',
  findQuestions: 'guarded',
  answerChat: 'network',
  take: 'guarded',
  attempt: 'network',
  ackWakeup: 'guarded',
};
