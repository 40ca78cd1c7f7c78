import type { ReplyTo } from '../../runtime/actor-system/behaviour.ts';
import type { EffectScopes } from '../../runtime/cluster/leased-actor.ts';
import type { TenantOwner } from '../../store/scheduling/wakeups.ts';
import type { DeliveryRow, Room, Taken, WaitingDelivery } from '../../store/webhooks/deliveries.ts';
import type { OpenedWebhook, WebhookRow } from '../../store/webhooks/webhooks.ts';

/** The first two are hints: the work is in the store and in the wakeups. */
export type TenantCommand =
  | { readonly type: 'eventsArrived'; readonly replyTo: ReplyTo<null> }
  /** Also sent when a delivery to the webhook was requested. */
  | { readonly type: 'webhookChanged'; readonly webhookId: string; readonly replyTo: ReplyTo<null> }
  | { readonly type: 'drain'; readonly replyTo: ReplyTo<null> };

export interface Released {
  readonly more: boolean;
  /** When the next work is due, epoch ms; null if nothing is scheduled. */
  readonly nextAt: number | null;
}

export type TenantEvent =
  | { readonly type: 'snapshotLoaded'; readonly round: number; readonly snapshot: Snapshot }
  | { readonly type: 'taken'; readonly round: number; readonly webhookId: string; readonly taken: Taken }
  /** `nextAt`: epoch ms; null when no retry is due. `pace`: how the endpoint kept up. */
  | {
      readonly type: 'attempted';
      readonly webhookId: string;
      readonly id: string;
      readonly nextAt: number | null;
      readonly pace: EndpointPace;
    }
  /** `isDone`: false if work was added to the wakeups since `rev`. */
  | { readonly type: 'wakeupAcked'; readonly isDone: boolean; readonly dueAt: number | null }
  | { readonly type: 'released'; readonly released: Released }
  | { readonly type: 'billed'; readonly released: Released }
  /** Chats in which a person waits for an AI reply now; `nextAt`: when the next chat is due. */
  | { readonly type: 'questionsFound'; readonly chats: readonly string[]; readonly nextAt: number | null }
  | { readonly type: 'chatAnswered'; readonly chat: string }
  | { readonly type: 'retryDue' }
  | { readonly type: 'pollDue' }
  /** A read or write failed; the work that it concerned is still in the store. */
  | { readonly type: 'storeFailed' }
  | { readonly type: 'fenced' };

export interface Snapshot {
  /** Revision of the wakeups row before the poll. */
  readonly rev: number;
  readonly sendsRev: number;
  readonly billingRev: number;
  readonly questionsRev: number;
  readonly webhooks: readonly OpenedWebhook[];
  readonly fresh: readonly DeliveryRow[];
  /** Whether deliveries may be waiting that are neither in `fresh` nor known to this actor. */
  readonly others: boolean;
  readonly moreEvents: boolean;
  /** When the next offline alert is due, epoch ms; null if no alert is pending. */
  readonly alertAt: number | null;
}

export type EndpointPace = 'quick' | 'steady' | 'slow';

/** State of one webhook. Rows are in the store; only the work in progress and the next step are kept here. */
export interface Endpoint {
  readonly webhook: OpenedWebhook;
  readonly queue: readonly WaitingDelivery[];
  readonly inFlight: ReadonlySet<string>;
  /** Largest number of requests in flight; grows while the endpoint answers quickly and shrinks otherwise. */
  readonly window: number;
  readonly more: boolean;
  readonly isTaking: boolean;
  /** Attempts that ended during the read of `isTaking`, whose result may still show them as waiting. */
  readonly over: ReadonlySet<string>;
  /** Whether the store was read since the running poll began; the read may include deliveries that the poll creates. */
  readonly isRead: boolean;
  /** When the next retry is due, epoch ms, as far as known. */
  readonly nextAt: number | null;
}

/** Work whose rows are in the store, such as scheduled sends; only the next due time is kept here. */
export interface DueWork {
  /** Revision of the wakeups row that `nextAt` includes. */
  readonly rev: number;
  /** `again`: more work arrived while it was running. */
  readonly phase: 'idle' | 'running' | 'again';
  readonly nextAt: number | null;
}

/** AI replies. Rows are in the store; only the replies in progress and the next due time are kept here. */
export interface Questions {
  /** Revision of the wakeups row that `nextAt` includes. */
  readonly rev: number;
  /** `again`: more work arrived during the search. */
  readonly phase: 'idle' | 'looking' | 'again';
  readonly nextAt: number | null;
  readonly answering: ReadonlySet<string>;
}

export interface TenantState {
  readonly owner: TenantOwner;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly poll: 'none' | 'loading' | 'again';
  /** Increased when pending store requests become void: results of an older round are ignored. */
  readonly round: number;
  readonly isFull: boolean;
  readonly alertAt: number | null;
  readonly sends: DueWork;
  readonly billing: DueWork;
  readonly questions: Questions;
  /** Revision of the wakeups row that the state above includes. */
  readonly rev: number;
  /** The due time last acknowledged to the wakeups, epoch ms; undefined when unknown. */
  readonly wakeupAcked: number | null | undefined;
  readonly draining: ReplyTo<null> | null;
}

export type TenantEffect =
  /** `known`: the webhooks that the tenant has state for. */
  | { readonly do: 'poll'; readonly round: number; readonly known: readonly string[] }
  | { readonly do: 'release' }
  | { readonly do: 'bill' }
  | { readonly do: 'findQuestions' }
  | { readonly do: 'answerChat'; readonly chat: string }
  | { readonly do: 'take'; readonly round: number; readonly webhookId: string; readonly room: Room }
  | { readonly do: 'attempt'; readonly webhook: WebhookRow; readonly row: WaitingDelivery }
  | { readonly do: 'ackWakeup'; readonly rev: number; readonly dueAt: number | null };

/** Guarded, because deliveries and events carry no epoch. `network` effects call out. */
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
