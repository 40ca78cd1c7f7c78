import type { ReplyTo } from '../../runtime/actor-system/behaviour.ts';
import type { EffectScopes } from '../../runtime/cluster/leased-actor.ts';
import type { Hours } from '../../store/accounts/tenants.ts';
import type { StoreLinkOwner } from '../../store/store-links/links.ts';
import type { CheckoutFact, OrderFact, ShipmentFact } from './behaviour/facts.ts';

export type MessageKind = 'order_created' | 'order_paid' | 'order_shipped' | 'abandoned_checkout';

export type OrderMessageKind = Exclude<MessageKind, 'abandoned_checkout'>;

export type Outcome =
  | 'sent'
  | 'scheduled'
  | 'rescheduled'
  | 'cancelled'
  | 'duplicate'
  | 'off'
  | 'no_phone'
  | 'no_session'
  | 'not_marketing'
  | 'opted_out'
  | 'ignored';

/** A webhook that is not stored and stays in this process. The receiver stores it if it is not taken. */
export interface UnstoredHook {
  readonly topic: string;
  readonly body: string;
  /** The body's signature or null. Within a store, equal signatures mean equal bodies. */
  readonly mark: string | null;
  readonly shopDomain: string | null;
  readonly arrivedAt: number;
  /** Returns false if the receiver no longer waits. After true, the caller must call `settle`. */
  take(): boolean;
  settle(outcome: Outcome | null): void;
}

export type StoreLinkCommand =
  /** A webhook was stored. The reply is null if its outcome is not known yet. */
  | { readonly type: 'hookArrived'; readonly hookId: string; readonly replyTo: ReplyTo<Outcome | null> }
  /** An unstored webhook. The reply follows once its outcome is stored; null if it is not handled. */
  | { readonly type: 'hookCame'; readonly hook: UnstoredHook; readonly replyTo: ReplyTo<Outcome | null> }
  | { readonly type: 'drain'; readonly replyTo: ReplyTo<null> };

export interface Template {
  readonly enabled: boolean;
  readonly text: string;
}

export interface StoreSettings {
  readonly name: string;
  readonly enabled: boolean;
  readonly hasSession: boolean;
  readonly isSuspended: boolean;
  readonly templates: Readonly<Record<MessageKind, Template>>;
  readonly abandonedDelayMs: number;
  readonly onlyMarketing: boolean;
  readonly reminderWindow: { readonly hours: Hours; readonly zone: string } | null;
}

export interface OrderMemory {
  readonly orderId: string;
  readonly ref: string | null;
  readonly phone: string | null;
  readonly name: string | null;
  readonly seenAt: number;
  readonly handled: Readonly<Partial<Record<OrderMessageKind, HandledMessage>>>;
  readonly shipmentWaitsUntil: number | null;
  /** The time at which the order was cancelled. An older state that arrives later is ignored. */
  readonly cancelledAt: number | null;
}

export interface HandledMessage {
  /** The webhook that led to the message. Handling it again gives the same result. */
  readonly hookId: string;
  readonly at: number;
  readonly hasTracking: boolean;
  /** Time at which the last message of the webhook is due. Missing in rows of earlier releases. */
  readonly dueAt?: number;
}

export interface CheckoutMemory {
  readonly checkoutId: string;
  readonly keys: readonly string[];
  readonly phone: string | null;
  readonly status: 'waiting' | 'done';
  readonly remindAt: number | null;
  readonly remindedBy: string | null;
  readonly cancelledBy: string | null;
  readonly seenAt: number;
}

export interface Known {
  readonly order: OrderMemory | null;
  readonly checkouts: readonly CheckoutMemory[];
  readonly orderedAt: number | null;
  readonly hasOptedOut?: true;
}

export type ResolvedFact =
  | { readonly type: 'order'; readonly order: OrderFact; readonly phone: string | null }
  | { readonly type: 'shipment'; readonly shipment: ShipmentFact; readonly phone: string | null }
  | { readonly type: 'checkout'; readonly checkout: CheckoutFact; readonly phone: string | null }
  | { readonly type: 'checkoutDeleted'; readonly checkoutId: string }
  | { readonly type: 'ignored'; readonly ref: string | null; readonly detail: string };

export interface Hook {
  readonly id: string;
  readonly fact: ResolvedFact;
  readonly arrivedAt: number;
}

export type StoreAction =
  | { readonly do: 'rememberOrder'; readonly memory: OrderMemory }
  | { readonly do: 'rememberCheckout'; readonly memory: CheckoutMemory }
  /** Schedules a message. If it exists and is still waiting, its time and text are changed. */
  | {
      readonly do: 'schedule';
      readonly kind: MessageKind;
      readonly of: string;
      readonly phone: string;
      readonly text: string;
      readonly at: number;
    }
  | { readonly do: 'cancel'; readonly kind: MessageKind; readonly of: string }
  | { readonly do: 'record'; readonly ref: string; readonly outcome: Outcome; readonly detail: string | null };

export interface Decision {
  readonly ref: string | null;
  readonly outcome: Outcome;
  readonly detail: string | null;
  readonly actions: readonly StoreAction[];
}

export interface Work {
  readonly hookId: string;
  readonly settings: StoreSettings;
  readonly known: Known;
  readonly fact: ResolvedFact;
  readonly arrivedAt: number;
}

export type StoreLinkEvent =
  | { readonly type: 'loaded'; readonly work: Work | null }
  | { readonly type: 'applied'; readonly hookId: string; readonly outcome: Outcome; readonly more: boolean }
  | { readonly type: 'turnedAway' }
  | { readonly type: 'retryDue' }
  /** The actor was drained to be moved, but has stayed on this node, so it continues. */
  | { readonly type: 'goOn' }
  | { readonly type: 'storeFailed' }
  | { readonly type: 'keyAwaited' }
  | { readonly type: 'fenced' };

export interface StoreLinkState {
  readonly owner: StoreLinkOwner;
  readonly phase: 'idle' | 'loading' | 'applying' | 'backingOff';
  /** Whether there may be waiting webhooks that are not part of the current load. */
  readonly again: boolean;
  readonly asked: ReadonlyMap<string, ReplyTo<Outcome | null>>;
  readonly unstored: ReplyTo<Outcome | null> | null;
  readonly draining: ReplyTo<null> | null;
}

export type StoreLinkEffect =
  | { readonly do: 'load' }
  | { readonly do: 'loadUnstored'; readonly hook: UnstoredHook }
  | { readonly do: 'apply'; readonly work: Work; readonly decision: Decision };

export const STORE_LINK_EFFECTS: EffectScopes<StoreLinkEffect> = { load: 'guarded', loadUnstored: 'guarded', apply: 'guarded' };
