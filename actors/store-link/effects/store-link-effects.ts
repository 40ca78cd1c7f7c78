import type { Logger } from 'pino';
import type { EffectHandler, Self } from '../../../runtime/actor-system/actor.ts';
import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { type Sealer, SecretUnreadable } from '../../../runtime/sealing/seal.ts';
import { isDuplicateKey, isRefusedTogether } from '../../../store/port.ts';
import type { Scheduled } from '../../../store/scheduling/scheduled.ts';
import type { Wakeups } from '../../../store/scheduling/wakeups.ts';
import { hookIdOf, NUMBERS_APART, type StoreHookRow, type StoreHooks } from '../../../store/store-links/hooks.ts';
import type { StoreError, StoreLinkOwner, StoreLinkRow, StoreLinks } from '../../../store/store-links/links.ts';
import type { Shop, Shops } from '../../../store/store-links/shops.ts';
import { callingCodeOf } from '../../services/accounts/profile.ts';
import type { EventLog } from '../../services/events/event-log.ts';
import { hookRowOf } from '../../services/stores/hook-row.ts';
import type { Readings } from '../../services/stores/readings.ts';
import { NOBODY_KNOWN, type Remembered } from '../../services/stores/remembered.ts';
import { storeMessageId } from '../behaviour/message-id.ts';
import { scheduledRowOf, settingsFor } from '../behaviour/store-settings.ts';
import type {
  Decision,
  Known,
  Outcome,
  ResolvedFact,
  StoreAction,
  StoreLinkEffect,
  StoreLinkEvent,
  UnstoredHook,
  Work,
} from '../protocol.ts';

export interface StoreLinkDeps {
  readonly links: Pick<StoreLinks, 'own' | 'noteEvent' | 'noteUnreadable'>;
  readonly shops: Shops;
  readonly hooks: StoreHooks;
  readonly remembered: Remembered;
  readonly readings: Readings;
  readonly scheduled: Pick<Scheduled, 'put'>;
  readonly wakeups: Pick<Wakeups, 'put'>;
  readonly eventLog: Pick<EventLog, 'record' | 'isWanted'>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Logger;
  readonly node: string;
  readonly together: (<R>(issue: () => R) => R) | null;
  hasOptedOut(tenantId: string, phone: string): Promise<boolean>;
  takeBack(tenantId: string, id: string): Promise<void>;
  hintScheduled(tenantId: string): void;
}

const MINUTE_MS = 60_000;
const HIDDEN_AFTER = 20;
const READ_AHEAD = 8;
/** Minimum time between updates of the link's last event. The list of events is exact. */
const NOTED_EVERY_MS = 3_600_000;
/** Maximum wait for a key. During a key change, other nodes may have the new key before this one. */
const KEY_AWAITED_MS = 15 * MINUTE_MS;

interface Reading {
  readonly fact: ResolvedFact;
  readonly known: Known | null;
}

const workOf = (hook: StoreHookRow, shop: Shop, { fact, known }: Reading): Work => ({
  hookId: hook._id,
  settings: settingsFor(shop, 'phone' in fact ? fact.phone : null),
  known: known ?? NOBODY_KNOWN,
  fact,
  arrivedAt: hook.created_at,
});

interface Plan {
  readonly hook: StoreHookRow;
  readonly link: StoreLinkRow;
  readonly decision: Decision;
  readonly isScheduled: boolean;
}

export class StoreLinkEffects implements EffectHandler<StoreLinkEffect> {
  readonly #deps: StoreLinkDeps;
  readonly #owner: StoreLinkOwner;
  readonly #self: Self<StoreLinkEvent>;
  readonly #log: Logger;
  #ahead: readonly StoreHookRow[] = [];
  #isMore = false;
  #shop: Shop | null = null;
  #current: StoreHookRow | null = null;
  #unstored: UnstoredHook | null = null;
  /** Number of the last webhook that was stored together with its result. Numbers only increase. */
  #lastNo = 0;
  #awaited = '';

  constructor(deps: StoreLinkDeps, owner: StoreLinkOwner, self: Self<StoreLinkEvent>) {
    this.#deps = deps;
    this.#owner = owner;
    this.#self = self;
    this.#log = deps.log.child({ tenant: owner.tenantId, store: owner.linkId, epoch: owner.epoch });
  }

  perform(effect: StoreLinkEffect): void {
    switch (effect.do) {
      case 'load':
        return this.#then(this.#load());
      case 'loadUnstored':
        return this.#then(this.#loadUnstored(effect.hook));
      case 'apply':
        return this.#then(this.#apply(effect.work, effect.decision));
      default:
        unreachable(effect);
    }
  }

  async #load(): Promise<StoreLinkEvent> {
    if (this.#ahead.length === 0) await this.#readAhead();
    const [hook, ...rest] = this.#ahead;
    if (!hook) return { type: 'loaded', work: null };
    this.#ahead = rest;
    if (!this.#shop || this.#shop.link.epoch !== this.#owner.epoch) return { type: 'fenced' };
    this.#current = hook;
    this.#unstored = null;
    return this.#workOf(hook, this.#shop);
  }

  async #loadUnstored(unstored: UnstoredHook): Promise<StoreLinkEvent> {
    await this.#readShop();
    const shop = this.#shop;
    if (!shop || shop.link.epoch !== this.#owner.epoch) return { type: 'fenced' };
    const row = hookRowOf(shop.link, unstored, null);
    const no = Math.max(row.no, this.#lastNo + NUMBERS_APART);
    const hook = { ...row, no, _id: hookIdOf({ ...row, no }) };
    this.#current = hook;
    this.#unstored = unstored;
    try {
      return { type: 'loaded', work: workOf(hook, shop, await this.#read(hook, unstored, shop)) };
    } catch (cause) {
      if (cause instanceof SecretUnreadable) return { type: 'turnedAway' };
      throw cause;
    }
  }

  /** Reads webhooks before the shop's settings, so that earlier changes apply to them. */
  async #readAhead(): Promise<void> {
    this.#ahead = await this.#deps.hooks.next(this.#owner.linkId, READ_AHEAD);
    this.#isMore = this.#ahead.length === READ_AHEAD;
    if (this.#ahead.length > 0) await this.#readShop();
  }

  async #readShop(): Promise<void> {
    const { tenantId, linkId } = this.#owner;
    this.#shop = await this.#deps.shops.find(tenantId, linkId);
  }

  async #workOf(hook: StoreHookRow, shop: Shop): Promise<StoreLinkEvent> {
    const read = await this.#readOrSetAside(hook, shop);
    if (read === 'keyAwaited') return { type: 'keyAwaited' };
    if (read.known === null && !(await this.#deps.links.noteUnreadable(this.#owner, hook.created_at))) return { type: 'fenced' };
    return { type: 'loaded', work: workOf(hook, shop, read) };
  }

  async #readOrSetAside(hook: StoreHookRow, shop: Shop): Promise<Reading | 'keyAwaited'> {
    try {
      const body = hook.body === null ? '' : this.#deps.sealer.open(shop.link._id, 'store webhook', hook.body);
      return await this.#read(hook, { body, mark: null }, shop);
    } catch (cause) {
      if (!(cause instanceof SecretUnreadable)) throw cause;
      if (this.#awaitsKey(hook, cause)) return 'keyAwaited';
      this.#log.error({ event: 'store_link.unreadable', hook: hook._id, err: cause }, 'store webhook set aside: it cannot be decrypted');
      return {
        fact: { type: 'ignored', ref: null, detail: 'the webhook or the stored data of its order cannot be decrypted' },
        known: null,
      };
    }
  }

  async #read({ topic, created_at }: StoreHookRow, what: Pick<UnstoredHook, 'body' | 'mark'>, { link, tenant }: Shop): Promise<Reading> {
    const fact = this.#deps.readings(link, topic, what, callingCodeOf(tenant.profile));
    const known = await this.#deps.remembered.known(link._id, fact, created_at);
    const hasOptedOut = fact.type === 'checkout' && fact.phone !== null && (await this.#deps.hasOptedOut(link.tenant_id, fact.phone));
    return { fact, known: { ...known, ...(hasOptedOut && { hasOptedOut }) } };
  }

  /** Whether webhooks must wait for a key, which this node or the next owner may still get. */
  #awaitsKey(hook: StoreHookRow, cause: SecretUnreadable): boolean {
    if (!cause.isKeyMissing || this.#deps.clock.now() - hook.created_at >= KEY_AWAITED_MS) return false;
    if (this.#awaited !== hook._id)
      this.#log.warn(
        { event: 'store_link.key_awaited', hook: hook._id, err: cause },
        'store webhook is waiting for a key that this node does not have',
      );
    this.#awaited = hook._id;
    this.#ahead = [];
    return true;
  }

  async #apply(work: Work, decision: Decision): Promise<StoreLinkEvent> {
    const hook = this.#current;
    if (hook?._id !== work.hookId || !this.#shop) return { type: 'fenced' };
    const { link } = this.#shop;
    if (!(await this.#noteEvent(hook, link, decision.outcome))) return { type: 'fenced' };
    const plan: Plan = { hook, link, decision, isScheduled: decision.actions.some(({ do: what }) => what === 'schedule') };
    const isDone = this.#unstored ? await this.#withWebhook(plan, this.#unstored) : await this.#afterWebhook(plan);
    if (isDone === null) return { type: 'turnedAway' };
    if (!isDone) return { type: 'fenced' };
    if (plan.isScheduled) this.#deps.hintScheduled(this.#owner.tenantId);
    return { type: 'applied', hookId: hook._id, outcome: decision.outcome, more: this.#isMore || this.#ahead.length > 0 };
  }

  async #noteEvent({ created_at, shop_domain }: StoreHookRow, link: StoreLinkRow, outcome: Outcome): Promise<boolean> {
    const error: StoreError | null = (await this.#hidesPhones(outcome)) ? 'phones_hidden' : null;
    const isDomainKnown = shop_domain === null || shop_domain === link.shop_domain;
    const isRecent = link.last_event_at !== null && created_at - link.last_event_at < NOTED_EVERY_MS;
    if (isRecent && isDomainKnown && error === link.last_error) return true;
    if (!(await this.#deps.links.noteEvent(this.#owner, created_at, shop_domain, error))) return false;
    const noted = { ...link, last_event_at: created_at, last_error: error, shop_domain: shop_domain ?? link.shop_domain };
    if (this.#shop) this.#shop = { ...this.#shop, link: noted };
    return true;
  }

  async #afterWebhook(plan: Plan): Promise<boolean> {
    const isDone = (await this.#canBeOne(plan)) ? await this.#asOne(plan, () => this.#handled(plan)) : null;
    return isDone ?? this.#oneByOne(plan);
  }

  /** Stores the plan's writes and the webhook in one commit. False if fenced; null if that is impossible. */
  async #withWebhook(plan: Plan, unstored: UnstoredHook): Promise<boolean | null> {
    const { hook, decision } = plan;
    if (!(await this.#canBeOne(plan)) || !unstored.take()) return null;
    let isDone: boolean | null = null;
    try {
      isDone = await this.#asOne(plan, () => this.#storedAsHandled(plan));
      if (isDone) this.#lastNo = hook.no;
      return isDone;
    } finally {
      unstored.settle(isDone ? decision.outcome : null);
    }
  }

  /** Returns false if the plan cancels messages, which takes several steps, or records an event. */
  async #canBeOne({ decision }: Plan): Promise<boolean> {
    const takesBack = decision.actions.some(({ do: what }) => what === 'cancel');
    return this.#deps.together !== null && !takesBack && !(await this.#deps.eventLog.isWanted(this.#owner.tenantId, 'store.event'));
  }

  /** Carries out the plan in one commit. False if fenced; null if the store refuses without any change. */
  async #asOne(plan: Plan, last: () => Promise<true>): Promise<boolean | null> {
    const { together } = this.#deps;
    if (!together) return null;
    const writes = together(() => [
      ...plan.decision.actions.map((action, nth) => this.#carryOut(action, plan, nth)),
      ...(plan.isScheduled ? [this.#wakeTenant()] : []),
      last(),
    ]);
    const settled = await Promise.allSettled(writes);
    if (settled.some((one) => one.status === 'fulfilled' && !one.value)) return false;
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    if (refused.length === 0) return true;
    if (refused.every((cause) => isRefusedTogether(cause) || isDuplicateKey(cause))) return null;
    throw refused.find((cause) => !isRefusedTogether(cause));
  }

  /** Carries out the actions one by one. After a crash, the next owner repeats all. False if fenced. */
  async #oneByOne(plan: Plan): Promise<boolean> {
    const { hook, decision } = plan;
    const { outcome, ref } = decision;
    const { tenantId, linkId } = this.#owner;
    for (const [nth, action] of decision.actions.entries()) if (!(await this.#carryOut(action, plan, nth))) return false;
    const data = { integration_id: linkId, topic: hook.topic, outcome, ref };
    await Promise.all([
      this.#deps.eventLog.record(tenantId, [{ session_id: null, type: 'store.event', row: hook._id, occurred_at: hook.created_at, data }]),
      plan.isScheduled && this.#wakeTenant(),
    ]);
    return this.#handled(plan);
  }

  async #wakeTenant(): Promise<true> {
    await this.#deps.wakeups.put(this.#owner.tenantId, this.#deps.clock.now(), 'sends');
    return true;
  }

  async #handled({ hook, decision: { ref, outcome, detail } }: Plan): Promise<true> {
    await this.#deps.hooks.handled(hook._id, { ref, outcome, detail });
    return true;
  }

  async #storedAsHandled({ hook: { _id, ...row }, decision: { ref, outcome, detail } }: Plan): Promise<true> {
    await this.#deps.hooks.addHandled({ ...row, pending: false, ref, outcome, detail });
    return true;
  }

  /** Whether the platform seems to hide phones: none of the last webhooks contained a number. */
  async #hidesPhones(outcome: Outcome): Promise<boolean> {
    if (outcome !== 'no_phone') return false;
    const before = await this.#deps.hooks.list(this.#owner.linkId, HIDDEN_AFTER - 1);
    return before.length === HIDDEN_AFTER - 1 && before.every((hook) => hook.outcome === 'no_phone');
  }

  async #carryOut(action: StoreAction, { hook, link, decision }: Plan, nth: number): Promise<boolean> {
    const { remembered, scheduled, hooks } = this.#deps;
    const { tenantId } = this.#owner;
    switch (action.do) {
      case 'rememberOrder':
        return remembered.saveOrder(this.#owner, action.memory);
      case 'rememberCheckout':
        return remembered.saveCheckout(this.#owner, action.memory);
      case 'schedule':
        await scheduled.put(scheduledRowOf(this.#owner, link, action, hook.created_at));
        return true;
      case 'cancel':
        await this.#deps.takeBack(tenantId, storeMessageId(this.#owner, action.kind, action.of));
        return true;
      case 'record': {
        const { ref, outcome, detail } = action;
        const beside = decision.actions.slice(0, nth + 1).filter(({ do: what }) => what === 'record').length;
        await hooks.addBeside(hook, beside, { ref, outcome, detail });
        return true;
      }
      default:
        return unreachable(action);
    }
  }

  #then(work: Promise<StoreLinkEvent>): void {
    work.then(
      (event) => this.#self.receive(event),
      (cause) => {
        this.#ahead = [];
        this.#log.error({ event: 'store_link.store_error', err: cause }, 'store webhook step failed: store error');
        this.#self.receive({ type: 'storeFailed' });
      },
    );
  }
}
