import type { Logger } from 'pino';
import type { EffectHandler, Self } from '../../../runtime/actor-system/actor.ts';
import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { type Sealer, SecretUnreadable } from '../../../runtime/sealing/seal.ts';
import type { TenantRow, Tenants } from '../../../store/accounts/tenants.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import type { Scheduled, ScheduledRow } from '../../../store/scheduling/scheduled.ts';
import type { StoreHookRow, StoreHooks } from '../../../store/store-links/hooks.ts';
import type { StoreLinkOwner, StoreLinkRow, StoreLinks } from '../../../store/store-links/links.ts';
import { zoneOfPhone } from '../../domain/phone-zones.ts';
import { settingsOf } from '../../domain/settings.ts';
import { callingCodeOf } from '../../services/accounts/profile.ts';
import type { EventLog } from '../../services/events/event-log.ts';
import { NOBODY_KNOWN, type Remembered } from '../../services/stores/remembered.ts';
import { storeMessageId } from '../behaviour/message-id.ts';
import { resolvedFact } from '../behaviour/read-hook.ts';
import { scheduledText } from '../behaviour/scheduled-text.ts';
import type {
  Decision,
  Known,
  Outcome,
  ResolvedFact,
  StoreAction,
  StoreLinkEffect,
  StoreLinkEvent,
  StoreSettings,
  Work,
} from '../protocol.ts';

/** The dependencies of a store link. */
export interface StoreLinkDeps {
  readonly links: StoreLinks;
  readonly hooks: StoreHooks;
  readonly remembered: Remembered;
  readonly devices: Pick<Devices, 'find'>;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly scheduled: Pick<Scheduled, 'put'>;
  readonly eventLog: Pick<EventLog, 'record'>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Logger;
  /** The name under which this node owns store links. */
  readonly node: string;
  /** Takes a scheduled message back, wherever it waits. */
  takeBack(tenantId: string, id: string): Promise<void>;
  /** Scheduled messages of the tenant changed. */
  announceScheduled(tenantId: string): Promise<void>;
}

const MINUTE_MS = 60_000;
/** So many webhooks in a row without a number are no accident. */
const HIDDEN_AFTER = 20;
/** Read at once when many wait; each may be as large as a request. */
const READ_AHEAD = 8;

/** Carries out what one store link decided. One incarnation, one owner, one epoch. */
export class StoreLinkEffects implements EffectHandler<StoreLinkEffect> {
  readonly #deps: StoreLinkDeps;
  readonly #owner: StoreLinkOwner;
  readonly #self: Self<StoreLinkEvent>;
  readonly #log: Logger;
  /** Webhooks that were read and not looked at yet, oldest first. Whoever owns the link is the only one that handles them. */
  #ahead: readonly StoreHookRow[] = [];
  /** The one under way, with its store as it was when its decision was made. */
  #current: { readonly hook: StoreHookRow; readonly link: StoreLinkRow } | null = null;

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
    const { hooks, links, tenants } = this.#deps;
    const { tenantId, linkId, epoch } = this.#owner;
    if (this.#ahead.length === 0) this.#ahead = await hooks.next(linkId, READ_AHEAD);
    const [hook, ...rest] = this.#ahead;
    if (!hook) return { type: 'loaded', work: null };
    this.#ahead = rest;
    const [link, tenant] = await Promise.all([links.find(tenantId, linkId), tenants.find(tenantId)]);
    if (!link || !tenant || link.epoch !== epoch) return { type: 'fenced' };
    this.#current = { hook, link };
    const work = await this.#workOf(hook, link, tenant);
    return work ? { type: 'loaded', work } : { type: 'fenced' };
  }

  /** Null: fenced. */
  async #workOf(hook: StoreHookRow, link: StoreLinkRow, tenant: TenantRow): Promise<Work | null> {
    const { fact, known } = await this.#readOrSetAside(hook, link, tenant);
    if (known === null && !(await this.#deps.links.noteUnreadable(this.#owner, hook.created_at))) return null;
    const settings = await this.#settingsOf(link, tenant, 'phone' in fact ? fact.phone : null);
    return { hookId: hook._id, settings, known: known ?? NOBODY_KNOWN, fact, arrivedAt: hook.created_at };
  }

  /** A webhook that cannot be opened, or whose order cannot, must not keep all after it waiting. `known` null: it is one. */
  async #readOrSetAside(
    hook: StoreHookRow,
    link: StoreLinkRow,
    tenant: TenantRow,
  ): Promise<{ readonly fact: ResolvedFact; readonly known: Known | null }> {
    const { remembered, sealer } = this.#deps;
    try {
      const body = hook.body === null ? '' : sealer.open(link._id, 'store webhook', hook.body);
      const fact = resolvedFact(link.platform, hook.topic, body, callingCodeOf(tenant.profile));
      return { fact, known: await remembered.known(link._id, fact, hook.created_at) };
    } catch (cause) {
      if (!(cause instanceof SecretUnreadable)) throw cause;
      this.#log.error({ event: 'store_link.unreadable', hook: hook._id, err: cause }, 'store webhook set aside: it cannot be opened');
      return { fact: { type: 'ignored', ref: null, detail: 'it, or what is kept of its order, cannot be opened' }, known: null };
    }
  }

  async #settingsOf(link: StoreLinkRow, tenant: TenantRow, phone: string | null): Promise<StoreSettings> {
    const { enabled, zone, ...hours } = settingsOf(tenant).send_window;
    const ownZone = zone === 'recipient' && phone !== null ? zoneOfPhone(phone) : null;
    const device = link.session_id === null ? null : await this.#deps.devices.find(link.tenant_id, link.session_id);
    return {
      name: link.name,
      enabled: link.enabled,
      hasSession: device !== null,
      templates: link.templates,
      abandonedDelayMs: link.abandoned_delay_min * MINUTE_MS,
      onlyMarketing: link.abandoned_only_marketing,
      reminderWindow: enabled ? { hours, zone: ownZone ?? tenant.profile.timezone } : null,
    };
  }

  /** In order, each repeatable: a process that dies in between leaves the webhook waiting, and its successor does all of it again. */
  async #apply(work: Work, decision: Decision): Promise<StoreLinkEvent> {
    const { hooks, links, eventLog } = this.#deps;
    const { tenantId, linkId } = this.#owner;
    if (this.#current?.hook._id !== work.hookId) return { type: 'fenced' };
    const { hook, link } = this.#current;
    let beside = 0;
    for (const action of decision.actions) {
      if (action.do === 'record') beside += 1;
      if (!(await this.#carryOut(action, link, hook, beside))) return { type: 'fenced' };
    }
    const { outcome, ref, detail } = decision;
    const error = (await this.#hidesPhones(outcome)) ? 'phones_hidden' : null;
    const data = { integration_id: linkId, topic: hook.topic, outcome, ref };
    await Promise.all([
      eventLog.record(tenantId, [{ session_id: null, type: 'store.event', row: hook._id, occurred_at: hook.created_at, data }]),
      decision.actions.some(({ do: what }) => what === 'schedule') && this.#deps.announceScheduled(tenantId),
    ]);
    // One commit. All that follows from the webhook is done: whoever owns it meanwhile comes to the same result.
    const [isOwner] = await Promise.all([
      links.noteEvent(this.#owner, hook.created_at, hook.shop_domain, error),
      hooks.handled(hook._id, { ref, outcome, detail }),
    ]);
    if (!isOwner) return { type: 'fenced' };
    return { type: 'applied', hookId: hook._id, outcome };
  }

  /** Is this webhook, like all before it, one without a number? A platform redacts them where the owner has not allowed them. */
  async #hidesPhones(outcome: Outcome): Promise<boolean> {
    if (outcome !== 'no_phone') return false;
    const before = await this.#deps.hooks.list(this.#owner.linkId, HIDDEN_AFTER - 1);
    return before.length === HIDDEN_AFTER - 1 && before.every((hook) => hook.outcome === 'no_phone');
  }

  /** False: fenced. */
  async #carryOut(action: StoreAction, link: StoreLinkRow, hook: StoreHookRow, beside: number): Promise<boolean> {
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
        await hooks.addBeside(hook, beside, { ref, outcome, detail });
        return true;
      }
      default:
        return unreachable(action);
    }
  }

  #then(work: Promise<StoreLinkEvent>): void {
    work.then(
      (event) => this.#self.hear(event),
      (cause) => {
        this.#ahead = [];
        this.#log.error({ event: 'store_link.store_error', err: cause }, 'store webhook step failed: store error');
        this.#self.hear({ type: 'storeFailed' });
      },
    );
  }
}

function scheduledRowOf(
  owner: StoreLinkOwner,
  link: StoreLinkRow,
  { kind, of, phone, text, at }: Extract<StoreAction, { do: 'schedule' }>,
  madeAt: number,
): ScheduledRow {
  const { tenantId, linkId } = owner;
  const id = storeMessageId(owner, kind, of);
  const row = scheduledText({ id, tenantId, sessionId: link.session_id ?? '', phone, text, at, madeAt });
  return kind === 'abandoned_checkout' ? { ...row, reminder: { link_id: linkId, checkout_id: of } } : row;
}
