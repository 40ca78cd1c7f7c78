import type { Logger } from 'pino';
import type { EffectHandler, Self } from '../../../runtime/actor-system/actor.ts';
import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { type Sealer, SecretUnreadable } from '../../../runtime/sealing/seal.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import { isRefusedTogether } from '../../../store/port.ts';
import type { Scheduled } from '../../../store/scheduling/scheduled.ts';
import type { Wakeups } from '../../../store/scheduling/wakeups.ts';
import type { StoreHookRow, StoreHooks } from '../../../store/store-links/hooks.ts';
import type { StoreError, StoreLinkOwner, StoreLinkRow, StoreLinks } from '../../../store/store-links/links.ts';
import { callingCodeOf } from '../../services/accounts/profile.ts';
import type { EventLog } from '../../services/events/event-log.ts';
import { NOBODY_KNOWN, type Remembered } from '../../services/stores/remembered.ts';
import { storeMessageId } from '../behaviour/message-id.ts';
import { resolvedFact } from '../behaviour/read-hook.ts';
import { type Shop, scheduledRowOf, settingsFor } from '../behaviour/store-settings.ts';
import type { Decision, Known, Outcome, ResolvedFact, StoreAction, StoreLinkEffect, StoreLinkEvent, Work } from '../protocol.ts';

/** The dependencies of a store link. */
export interface StoreLinkDeps {
  readonly links: Pick<StoreLinks, 'find' | 'own' | 'noteEvent' | 'noteUnreadable'>;
  readonly hooks: StoreHooks;
  readonly remembered: Remembered;
  readonly devices: Pick<Devices, 'find'>;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly scheduled: Pick<Scheduled, 'put'>;
  readonly wakeups: Pick<Wakeups, 'put'>;
  readonly eventLog: Pick<EventLog, 'record' | 'isWanted'>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Logger;
  /** The name under which this node owns store links. */
  readonly node: string;
  /** See the store's `together`; null: it cannot. */
  readonly together: (<R>(issue: () => R) => R) | null;
  /** Takes a scheduled message back, wherever it waits. */
  takeBack(tenantId: string, id: string): Promise<void>;
  /** There are scheduled messages to look at, which the wakeups know already. */
  hintScheduled(tenantId: string): void;
}

const MINUTE_MS = 60_000;
/** So many webhooks in a row without a number are no accident. */
const HIDDEN_AFTER = 20;
/** Read at once when many wait; each may be as large as a request. */
const READ_AHEAD = 8;
/** The record's own note of its last event may be so much older than the event; the list of events has the exact time. */
const NOTED_EVERY_MS = 3_600_000;
/** While keys are changed node after node, a webhook may be sealed with one that only other nodes have yet: it waits so long for its owner to get it. */
const KEY_AWAITED_MS = 15 * MINUTE_MS;

/** What becomes of one webhook, ready to be carried out. */
interface Plan {
  readonly hook: StoreHookRow;
  readonly link: StoreLinkRow;
  readonly decision: Decision;
  readonly isScheduled: boolean;
}

/** Carries out what one store link decided. One incarnation, one owner, one epoch. */
export class StoreLinkEffects implements EffectHandler<StoreLinkEffect> {
  readonly #deps: StoreLinkDeps;
  readonly #owner: StoreLinkOwner;
  readonly #self: Self<StoreLinkEvent>;
  readonly #log: Logger;
  /** Webhooks that were read and not looked at yet, oldest first. Only the owner of the link handles them. */
  #ahead: readonly StoreHookRow[] = [];
  /** More may wait than the last reading found. */
  #isMore = false;
  #shop: Shop | null = null;
  /** The one under way. */
  #current: StoreHookRow | null = null;
  /** The last webhook for whose key it waited: it is logged once. */
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
    return this.#workOf(hook, this.#shop);
  }

  /** The store is read after its webhooks: what its owner changed before one of them came counts for it. */
  async #readAhead(): Promise<void> {
    const { hooks, links, tenants, devices } = this.#deps;
    const { tenantId, linkId } = this.#owner;
    this.#ahead = await hooks.next(linkId, READ_AHEAD);
    this.#isMore = this.#ahead.length === READ_AHEAD;
    if (this.#ahead.length === 0) return;
    const [link, tenant] = await Promise.all([links.find(tenantId, linkId), tenants.find(tenantId)]);
    const device = link?.session_id == null ? null : await devices.find(tenantId, link.session_id);
    this.#shop = link && tenant && { link, tenant, hasDevice: device !== null };
  }

  async #workOf(hook: StoreHookRow, shop: Shop): Promise<StoreLinkEvent> {
    const read = await this.#readOrSetAside(hook, shop);
    if (read === 'keyAwaited') return { type: 'keyAwaited' };
    const { fact, known } = read;
    if (known === null && !(await this.#deps.links.noteUnreadable(this.#owner, hook.created_at))) return { type: 'fenced' };
    const settings = settingsFor(shop, 'phone' in fact ? fact.phone : null);
    return { type: 'loaded', work: { hookId: hook._id, settings, known: known ?? NOBODY_KNOWN, fact, arrivedAt: hook.created_at } };
  }

  /** A webhook that cannot be opened, or whose order cannot, must not keep all after it waiting for ever. `known` null: it is one. */
  async #readOrSetAside(
    hook: StoreHookRow,
    { link, tenant }: Shop,
  ): Promise<{ readonly fact: ResolvedFact; readonly known: Known | null } | 'keyAwaited'> {
    const { remembered, sealer } = this.#deps;
    try {
      const body = hook.body === null ? '' : sealer.open(link._id, 'store webhook', hook.body);
      const fact = resolvedFact(link.platform, hook.topic, body, callingCodeOf(tenant.profile));
      return { fact, known: await remembered.known(link._id, fact, hook.created_at) };
    } catch (cause) {
      if (!(cause instanceof SecretUnreadable)) throw cause;
      if (this.#awaitsKey(hook, cause)) return 'keyAwaited';
      this.#log.error({ event: 'store_link.unreadable', hook: hook._id, err: cause }, 'store webhook set aside: it cannot be opened');
      return { fact: { type: 'ignored', ref: null, detail: 'it, or what is kept of its order, cannot be opened' }, known: null };
    }
  }

  /** Its key is one that this node may get yet, or the next owner may have: it is read again, and so are all that came after it. */
  #awaitsKey(hook: StoreHookRow, cause: SecretUnreadable): boolean {
    if (!cause.isKeyMissing || this.#deps.clock.now() - hook.created_at >= KEY_AWAITED_MS) return false;
    if (this.#awaited !== hook._id)
      this.#log.warn(
        { event: 'store_link.key_awaited', hook: hook._id, err: cause },
        'store webhook waits for a key that this node does not have',
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
    const isDone = (await this.#together(plan)) ?? (await this.#oneByOne(plan));
    if (!isDone) return { type: 'fenced' };
    if (plan.isScheduled) this.#deps.hintScheduled(this.#owner.tenantId);
    return { type: 'applied', hookId: hook._id, outcome: decision.outcome, more: this.#isMore || this.#ahead.length > 0 };
  }

  /** What its record says of the last webhook, where that is news. False: fenced. */
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

  /** All in one commit. False: fenced. Null: not this way, and nothing was done; what is taken back needs more than one look. */
  async #together(plan: Plan): Promise<boolean | null> {
    const { together } = this.#deps;
    const { actions } = plan.decision;
    if (!together || actions.some(({ do: what }) => what === 'cancel')) return null;
    // Each effect is done before it is reported, and the webhook is done when it is reported.
    if (await this.#deps.eventLog.isWanted(this.#owner.tenantId, 'store.event')) return null;
    const writes = together(() => [
      ...actions.map((action, nth) => this.#carryOut(action, plan, nth)),
      ...(plan.isScheduled ? [this.#wakeTenant()] : []),
      this.#handled(plan),
    ]);
    const settled = await Promise.allSettled(writes);
    if (settled.some((one) => one.status === 'fulfilled' && !one.value)) return false;
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    if (refused.length === 0) return true;
    if (refused.some(isRefusedTogether)) return null;
    throw refused[0];
  }

  /** In order, each repeatable: a process that dies in between leaves the webhook waiting, and its successor does all of it again. False: fenced. */
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

  /** Is this webhook, like all before it, one without a number? A platform redacts them where the owner has not allowed them. */
  async #hidesPhones(outcome: Outcome): Promise<boolean> {
    if (outcome !== 'no_phone') return false;
    const before = await this.#deps.hooks.list(this.#owner.linkId, HIDDEN_AFTER - 1);
    return before.length === HIDDEN_AFTER - 1 && before.every((hook) => hook.outcome === 'no_phone');
  }

  /** The `nth` action of a plan. False: fenced. */
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
