import type { ReplyTo } from '../../runtime/actor-system/behaviour.ts';
import type { EffectScopes } from '../../runtime/cluster/leased-actor.ts';
import type { Hours } from '../../store/accounts/tenants.ts';
import type { StoreLinkOwner } from '../../store/store-links/links.ts';
import type { CheckoutFact, OrderFact, ShipmentFact } from './behaviour/facts.ts';

/** The messages of a store to a customer. */
export type MessageKind = 'order_created' | 'order_paid' | 'order_shipped' | 'abandoned_checkout';

export type OrderMessageKind = Exclude<MessageKind, 'abandoned_checkout'>;

/** The outcome of one webhook. */
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

/** A webhook in the hands of its receiver, who stores it unless the store link does. Never leaves the process. */
export interface UnstoredHook {
  readonly topic: string;
  /** As the store sent it. */
  readonly body: string;
  /** Two bodies of one store with the same mark are the same; null: it has none. */
  readonly mark: string | null;
  readonly shopDomain: string | null;
  /** Epoch ms. */
  readonly arrivedAt: number;
  /** False: its receiver gave up waiting, and stores it. Else it is the store link's, who says how that ended. */
  take(): boolean;
  /** The outcome, once all is stored; null: nothing is. */
  settle(outcome: Outcome | null): void;
}

/** Commands to a store link. */
export type StoreLinkCommand =
  /** A webhook was stored. Answered with what became of it, or null when that is found out later. */
  | { readonly type: 'hookArrived'; readonly hookId: string; readonly replyTo: ReplyTo<Outcome | null> }
  /** A webhook came that nobody has stored yet. Answered with what became of it once that and the webhook are stored; null: not now. */
  | { readonly type: 'hookCame'; readonly hook: UnstoredHook; readonly replyTo: ReplyTo<Outcome | null> }
  /** It will run elsewhere: starts nothing more. Answered when nothing is under way. */
  | { readonly type: 'drain'; readonly replyTo: ReplyTo<null> };

export interface Template {
  readonly enabled: boolean;
  readonly text: string;
}

/** The choices of a store's owner. */
export interface StoreSettings {
  readonly name: string;
  readonly enabled: boolean;
  /** There is a device to send from. */
  readonly hasSession: boolean;
  /** Nothing leaves while the operator suspends the business: what is due waits until that ends. */
  readonly isSuspended: boolean;
  readonly templates: Readonly<Record<MessageKind, Template>>;
  readonly abandonedDelayMs: number;
  readonly onlyMarketing: boolean;
  /** Reminders leave only inside these hours of this zone; null: at any time. */
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
  /** A shipment without a tracking number waits until then for one; null: none waits. */
  readonly shipmentWaitsUntil: number | null;
  /** The state of the body that cancelled it: older bodies that come later are history. Null: it was not cancelled. */
  readonly cancelledAt: number | null;
}

export interface HandledMessage {
  /** The webhook that caused it: handled once more after a crash, it comes to the same result. */
  readonly hookId: string;
  readonly at: number;
  readonly hasTracking: boolean;
  /** When the last message of that webhook leaves; absent: it was stored by an earlier release. */
  readonly dueAt?: number;
}

/** The stored facts about a checkout, kept at least as long as its webhooks may come late. */
export interface CheckoutMemory {
  readonly checkoutId: string;
  readonly keys: readonly string[];
  readonly phone: string | null;
  /** `done`: it was bought, deleted or completed; nothing is ever sent for it again. */
  readonly status: 'waiting' | 'done';
  /** When its reminder goes or went out; null: it never had one. */
  readonly remindAt: number | null;
  /** The webhook that scheduled its reminder first. */
  readonly remindedBy: string | null;
  /** The webhook that made it `done` while its reminder waited; null: none waited. */
  readonly cancelledBy: string | null;
  /** When its first webhook came. */
  readonly seenAt: number;
}

/** The stored facts that one webhook may concern. */
export interface Known {
  readonly order: OrderMemory | null;
  /** The checkouts with one of its keys, and those of its phone. */
  readonly checkouts: readonly CheckoutMemory[];
  /** When this phone last ordered; null: not in the last day. */
  readonly orderedAt: number | null;
  /** The buyer of a checkout asked to be left alone; absent: not. */
  readonly hasOptedOut?: true;
}

/** A webhook with its number resolved. */
export type ResolvedFact =
  | { readonly type: 'order'; readonly order: OrderFact; readonly phone: string | null }
  | { readonly type: 'shipment'; readonly shipment: ShipmentFact; readonly phone: string | null }
  | { readonly type: 'checkout'; readonly checkout: CheckoutFact; readonly phone: string | null }
  | { readonly type: 'checkoutDeleted'; readonly checkoutId: string }
  | { readonly type: 'ignored'; readonly ref: string | null; readonly detail: string };

/** The input of a decision: a webhook, its arrival time, and its id. */
export interface Hook {
  readonly id: string;
  readonly fact: ResolvedFact;
  /** Epoch ms. */
  readonly arrivedAt: number;
}

/** A step that follows from a webhook. Each can be repeated. */
export type StoreAction =
  /** Remembered before anything is sent or cancelled for it. */
  | { readonly do: 'rememberOrder'; readonly memory: OrderMemory }
  | { readonly do: 'rememberCheckout'; readonly memory: CheckoutMemory }
  /** Puts a message into the scheduled queue. One that is there already is moved and rewritten while it waits, else left alone. */
  | {
      readonly do: 'schedule';
      readonly kind: MessageKind;
      readonly of: string;
      readonly phone: string;
      readonly text: string;
      readonly at: number;
    }
  /** Takes a waiting message back. */
  | { readonly do: 'cancel'; readonly kind: MessageKind; readonly of: string }
  /** A line of its own in the store's list. */
  | { readonly do: 'record'; readonly ref: string; readonly outcome: Outcome; readonly detail: string | null };

export interface Decision {
  readonly ref: string | null;
  readonly outcome: Outcome;
  readonly detail: string | null;
  readonly actions: readonly StoreAction[];
}

/** One webhook with all that a decision about it needs. */
export interface Work {
  readonly hookId: string;
  readonly settings: StoreSettings;
  readonly known: Known;
  readonly fact: ResolvedFact;
  readonly arrivedAt: number;
}

/** Events of a store link: results of its own effects and timers. */
export type StoreLinkEvent =
  /** null: no webhook waits. */
  | { readonly type: 'loaded'; readonly work: Work | null }
  /** `more`: webhooks may wait that were not read yet. */
  | { readonly type: 'applied'; readonly hookId: string; readonly outcome: Outcome; readonly more: boolean }
  /** The webhook that came cannot be stored together with what becomes of it: its receiver stores it first. */
  | { readonly type: 'turnedAway' }
  | { readonly type: 'retryDue' }
  /** It was to run elsewhere and still runs here. */
  | { readonly type: 'goOn' }
  /** It is unknown which part of the last effect was done; all of it can be repeated. */
  | { readonly type: 'storeFailed' }
  /** The next webhook is sealed with a key that this node does not have yet. */
  | { readonly type: 'keyAwaited' }
  /** Another node owns it now, or may do so any moment. */
  | { readonly type: 'fenced' };

export interface StoreLinkState {
  readonly owner: StoreLinkOwner;
  readonly phase: 'idle' | 'loading' | 'applying' | 'backingOff';
  /** Webhooks may wait that the load under way does not see. */
  readonly again: boolean;
  readonly asked: ReadonlyMap<string, ReplyTo<Outcome | null>>;
  /** Waits for the webhook under way, which is not stored yet; null: that is a stored one. */
  readonly unstored: ReplyTo<Outcome | null> | null;
  readonly draining: ReplyTo<null> | null;
}

export type StoreLinkEffect =
  | { readonly do: 'load' }
  | { readonly do: 'loadUnstored'; readonly hook: UnstoredHook }
  | { readonly do: 'apply'; readonly work: Work; readonly decision: Decision };

export const STORE_LINK_EFFECTS: EffectScopes<StoreLinkEffect> = { load: 'guarded', loadUnstored: 'guarded', apply: 'guarded' };
