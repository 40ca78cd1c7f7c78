import type { ReplyTo } from '../../runtime/actor-system/behaviour.ts';
import type { EffectScopes } from '../../runtime/cluster/leased-actor.ts';
import type { TenantOwner } from '../../store/scheduling/wakeups.ts';
import type { DeliveryRow, Room, Taken, WaitingDelivery } from '../../store/webhooks/deliveries.ts';
import type { OpenedWebhook, WebhookRow } from '../../store/webhooks/webhooks.ts';

/** The first two commands are only notifications, because the work itself is already stored. */
export type TenantCommand =
  | { readonly type: 'eventsArrived'; readonly replyTo: ReplyTo<null> }
  | { readonly type: 'webhookChanged'; readonly webhookId: string; readonly replyTo: ReplyTo<null> }
  | { readonly type: 'drain'; readonly replyTo: ReplyTo<null> };

export interface Released {
  readonly more: boolean;
  readonly nextAt: number | null;
}

export type TenantEvent =
  | { readonly type: 'snapshotLoaded'; readonly round: number; readonly snapshot: Snapshot }
  | { readonly type: 'taken'; readonly round: number; readonly webhookId: string; readonly taken: Taken }
  | {
      readonly type: 'attempted';
      readonly webhookId: string;
      readonly id: string;
      readonly nextAt: number | null;
      readonly pace: EndpointPace;
    }
  /** `isDone` is false if work was added after `rev`. */
  | { readonly type: 'wakeupAcked'; readonly isDone: boolean; readonly dueAt: number | null }
  | { readonly type: 'released'; readonly released: Released }
  | { readonly type: 'billed'; readonly released: Released }
  | { readonly type: 'questionsFound'; readonly chats: readonly string[]; readonly nextAt: number | null }
  | { readonly type: 'chatAnswered'; readonly chat: string }
  | { readonly type: 'retryDue' }
  | { readonly type: 'pollDue' }
  | { readonly type: 'storeFailed' }
  | { readonly type: 'fenced' };

export interface Snapshot {
  readonly rev: number;
  readonly sendsRev: number;
  readonly billingRev: number;
  readonly questionsRev: number;
  readonly webhooks: readonly OpenedWebhook[];
  readonly fresh: readonly DeliveryRow[];
  /**
   * Whether there may be waiting deliveries that are not in `fresh` and that this actor does not
   * know yet.
   */
  readonly others: boolean;
  readonly moreEvents: boolean;
  readonly alertAt: number | null;
}

export type EndpointPace = 'quick' | 'steady' | 'slow';

export interface Endpoint {
  readonly webhook: OpenedWebhook;
  readonly queue: readonly WaitingDelivery[];
  readonly inFlight: ReadonlySet<string>;
  readonly window: number;
  readonly more: boolean;
  readonly isTaking: boolean;
  /** Deliveries that finished during the current read, whose result may still contain them. */
  readonly over: ReadonlySet<string>;
  /** Whether the store was read during this poll, so that the result may contain its deliveries. */
  readonly isRead: boolean;
  readonly nextAt: number | null;
}

export interface DueWork {
  readonly rev: number;
  readonly phase: 'idle' | 'running' | 'again';
  readonly nextAt: number | null;
}

export interface Questions {
  readonly rev: number;
  readonly phase: 'idle' | 'looking' | 'again';
  readonly nextAt: number | null;
  readonly answering: ReadonlySet<string>;
}

export interface TenantState {
  readonly owner: TenantOwner;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly poll: 'none' | 'loading' | 'again';
  /** Increased to invalidate pending requests to the store. Their results are then ignored. */
  readonly round: number;
  readonly isFull: boolean;
  readonly alertAt: number | null;
  readonly sends: DueWork;
  readonly billing: DueWork;
  readonly questions: Questions;
  readonly rev: number;
  /** The due time that was last reported to the wakeup service; undefined if unknown. */
  readonly wakeupAcked: number | null | undefined;
  readonly draining: ReplyTo<null> | null;
}

export type TenantEffect =
  | { readonly do: 'poll'; readonly round: number; readonly known: readonly string[] }
  | { readonly do: 'release' }
  | { readonly do: 'bill' }
  | { readonly do: 'findQuestions' }
  | { readonly do: 'answerChat'; readonly chat: string }
  | { readonly do: 'take'; readonly round: number; readonly webhookId: string; readonly room: Room }
  | { readonly do: 'attempt'; readonly webhook: WebhookRow; readonly row: WaitingDelivery }
  | { readonly do: 'ackWakeup'; readonly rev: number; readonly dueAt: number | null };

/** `guarded`: store writes, because deliveries and events have no fencing epoch. `network`: requests. */
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
