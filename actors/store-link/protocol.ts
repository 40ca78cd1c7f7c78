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

/** A webhook held by its HTTP receiver, which stores it unless the store link takes it. Never leaves the process. */
export interface UnstoredHook {
  readonly topic: string;
  /** As the store sent it. */
  readonly body: string;
  /**
   * Signature of the body as sent: bodies of one store with the same mark are equal; null if the
   * webhook is unsigned.
   */
  readonly mark: string | null;
  readonly shopDomain: string | null;
  readonly arrivedAt: number;
  /** The taker must call `settle`. Returns false when the receiver stopped waiting. */
  take(): boolean;
  settle(outcome: Outcome | null): void;
}

export type StoreLinkCommand =
  /** A webhook was stored. Answered with its outcome, or with null when the outcome is not known yet. */
  | { readonly type: 'hookArrived'; readonly hookId: string; readonly replyTo: ReplyTo<Outcome | null> }
  /** An unstored webhook. Answered with the outcome once both are stored, or null if it cannot be handled now. */
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
  /** Due messages wait until the suspension ends. */
  readonly isSuspended: boolean;
  readonly templates: Readonly<Record<MessageKind, Template>>;
  readonly abandonedDelayMs: number;
  readonly onlyMarketing: boolean;
  /** Hours and zone in which reminders may be sent; null when at any time. */
  readonly reminderWindow: { readonly hours: Hours; readonly zone: string } | null;
}

/** The stored facts about an order; times are epoch ms. */
export interface OrderMemory {
  readonly orderId: string;
  readonly ref: string | null;
  /** Digits. */
  readonly phone: string | null;
  readonly name: string | null;
  readonly seenAt: number;
  readonly handled: Readonly<Partial<Record<OrderMessageKind, HandledMessage>>>;
  /** Until when a shipment message waits for a tracking number, epoch ms; null if it does not wait. */
  readonly shipmentWaitsUntil: number | null;
  /** Older bodies that arrive later are ignored. null when the order was not cancelled. */
  readonly cancelledAt: number | null;
}

export interface HandledMessage {
  /** The webhook that caused the message; handling it again after a crash gives the same result. */
  readonly hookId: string;
  readonly at: number;
  readonly hasTracking: boolean;
  /** When the last message of that webhook is due; absent for rows of an earlier release. */
  readonly dueAt?: number;
}

export interface CheckoutMemory {
  readonly checkoutId: string;
  readonly keys: readonly string[];
  readonly phone: string | null;
  /** `done`: bought, deleted or completed; messages are no longer sent for the checkout. */
  readonly status: 'waiting' | 'done';
  /** When the reminder is or was due; null if it was never scheduled. */
  readonly remindAt: number | null;
  readonly remindedBy: string | null;
  /** The webhook that ended the checkout while its reminder waited; null if the reminder was not waiting. */
  readonly cancelledBy: string | null;
  /** When the first webhook of the checkout arrived. */
  readonly seenAt: number;
}

export interface Known {
  readonly order: OrderMemory | null;
  /** Checkouts that share a key or the phone with the webhook. */
  readonly checkouts: readonly CheckoutMemory[];
  /** When this phone last ordered; null if it has not ordered in the last day. */
  readonly orderedAt: number | null;
  /** Set if the buyer of a checkout opted out. */
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

/** A step that follows from a webhook. Each can be repeated. */
export type StoreAction =
  | { readonly do: 'rememberOrder'; readonly memory: OrderMemory }
  | { readonly do: 'rememberCheckout'; readonly memory: CheckoutMemory }
  /** Schedules a message. An existing one is moved and rewritten while it waits; otherwise it is left unchanged. */
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
  /** The next webhook to handle; null when none waits. */
  | { readonly type: 'loaded'; readonly work: Work | null }
  /** `more`: whether more webhooks may wait that were not read yet. */
  | { readonly type: 'applied'; readonly hookId: string; readonly outcome: Outcome; readonly more: boolean }
  /** The webhook cannot be stored together with its consequences; its receiver stores it first. */
  | { readonly type: 'turnedAway' }
  | { readonly type: 'retryDue' }
  /** The link was drained but still runs here, so it continues. */
  | { readonly type: 'goOn' }
  /** After a crash, the whole last effect can be repeated. */
  | { readonly type: 'storeFailed' }
  /** The next webhook is sealed with a key that this node does not have yet. */
  | { readonly type: 'keyAwaited' }
  | { readonly type: 'fenced' };

export interface StoreLinkState {
  readonly owner: StoreLinkOwner;
  readonly phase: 'idle' | 'loading' | 'applying' | 'backingOff';
  /** Whether webhooks may wait that the running load does not include. */
  readonly again: boolean;
  readonly asked: ReadonlyMap<string, ReplyTo<Outcome | null>>;
  /** The caller of an unstored webhook being handled; null when the current webhook is stored. */
  readonly unstored: ReplyTo<Outcome | null> | null;
  readonly draining: ReplyTo<null> | null;
}

export type StoreLinkEffect =
  | { readonly do: 'load' }
  | { readonly do: 'loadUnstored'; readonly hook: UnstoredHook }
  | { readonly do: 'apply'; readonly work: Work; readonly decision: Decision };

export const STORE_LINK_EFFECTS: EffectScopes<StoreLinkEffect> = { load: 'guarded', loadUnstored: 'guarded', apply: 'guarded' };
