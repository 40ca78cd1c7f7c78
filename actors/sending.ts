import { hash } from 'node:crypto';
import { newId } from '../runtime/ids.ts';
import { isDuplicateKey } from '../store/collection.ts';
import type { DeviceRow } from '../store/devices.ts';
import { LANES, type MessageParts, type MessageRow, type Messages, type MessageType, type Origin } from '../store/messages.ts';
import { Headroom } from './headroom.ts';
import type { Plan } from './plans.ts';
import { refusal } from './refusals.ts';

/** One message to be sent, with everything resolved. */
export interface SendOrder {
  /** Full address. */
  readonly chat: string;
  readonly message_type: MessageType;
  readonly body: string | null;
  readonly parts: MessageParts;
  /** Key of its file (`parts.media`). */
  readonly media_r2_key?: string;
  /** The network id of the quoted message. */
  readonly quotes: string | null;
  readonly lane: number;
  /** 0–9, higher first within the lane. */
  readonly priority: number;
  /** Chosen before (see idempotency.ts): of several that are sent under it, one is stored. */
  readonly id?: string;
  /** What it is sent for, where that is not a call of its own. */
  readonly origin?: Origin;
  /** Epoch ms; not sent after it. */
  readonly expiresAt?: number;
}

/** The monthly message quota (store/usage). `month` is `YYYY-MM` in UTC. */
export interface Quota {
  /** False when that would pass `limit`; null: no limit. */
  take(tenantId: string, month: string, count: number, limit: number | null): Promise<boolean>;
  /** How much of it is taken. */
  used(tenantId: string, month: string): Promise<number>;
  giveBack(tenantId: string, month: string, count: number): Promise<void>;
}

export interface SendingPorts {
  readonly messages: Messages;
  readonly quota: Quota;
  /** Messages that may wait for one device; one more is refused with OVERLOADED. */
  readonly queueLimit: number;
  /** Tells the device that rows wait; losing it loses nothing. */
  hint(device: DeviceRow): void;
}

export interface Sending {
  /**
   * Stores a message for its device, durable when it resolves (design.md "A message out" 1). `failed` is a plan's quota that is used up
   * (spec.md part 8): stored too. Refuses OVERLOADED when too much waits for the device: nothing was stored.
   */
  accept(device: DeviceRow, plan: Plan, order: SendOrder, now: number): Promise<{ id: string; status: 'queued' | 'failed' }>;
  /** Rows wait for this device: it may look at once. Losing it loses nothing. */
  hint(device: DeviceRow): void;
}

export function createSending({ messages, quota, queueLimit, hint }: SendingPorts): Sending {
  const backlogs = new Backlogs(messages, queueLimit);
  const headroom = new Headroom(quota.used);

  async function paidFirst(device: DeviceRow, order: SendOrder, { month, limit }: Price, now: number): Promise<MessageRow> {
    const paid = await quota.take(device.tenant_id, month, 1, limit);
    return stored(outboundRow(device, order, now, paid ? { status: 'queued', month } : { status: 'failed', month: null }));
  }

  /** Far from the quota's end its answer is known, so both writes can share a commit. A message once stored stays, whatever the counting says. */
  async function paidMeanwhile(device: DeviceRow, order: SendOrder, { month, limit }: Price, now: number): Promise<MessageRow> {
    const taking = quota.take(device.tenant_id, month, 1, limit).catch(() => false);
    const row = outboundRow(device, order, now, { status: 'queued', month });
    const [kept] = await Promise.all([stored(row), taking]);
    return kept;
  }

  /** Under an id that was chosen before, it may be there already: then that one counts, and this one's quota is given back. */
  async function stored(row: MessageRow): Promise<MessageRow> {
    try {
      await messages.accept(row);
      return row;
    } catch (cause) {
      const there = isDuplicateKey(cause) ? await messages.find(row.tenant_id, row.session_id, row._id) : null;
      if (!there) throw cause;
      if (row.quota_month !== null) await quota.giveBack(row.tenant_id, row.quota_month, 1);
      return there;
    }
  }

  return {
    hint,

    async accept(device, plan, order, now) {
      if (await backlogs.isFull(device, now)) throw refusal('OVERLOADED', { retryAfterMs: 5_000 });
      const price: Price = { month: monthOf(now), limit: plan.overage ? null : plan.messages };
      const isAmple = await headroom.isAmple(device.tenant_id, price.month, price.limit, now);
      const { _id: id, status } = await (isAmple ? paidMeanwhile : paidFirst)(device, order, price, now);
      // One that failed at once waits for nothing, but its event and its chat are its device's work too.
      if (device.wanted || status === 'failed') hint(device);
      if (status === 'failed') return { id, status };
      return { id, status: 'queued' };
    },
  };
}

/** The month of a quota. */
export const monthOf = (now: number): string => new Date(now).toISOString().slice(0, 7);

/**
 * The network's id of a message, the same on every try (reliability.md F4): derived from nothing but its row and its device's secret, so
 * that nobody outside can guess or provoke one: 56 bits are secret. `at` is the row's `created_at`: ids of one moment begin alike, so that
 * a commit of many changes one page of their index and not as many pages (measured: a fifth of the CPU of an accepted send).
 */
export function networkId(secret: string, id: string, at: number): string {
  const moment = Math.floor(at / MOMENT_MS) % MOMENTS;
  return `3EB0${moment.toString(16).padStart(4, '0')}${hash('sha256', `${secret}:${id}`, 'hex').slice(0, 14)}`.toUpperCase();
}

const MOMENT_MS = 64;
const MOMENTS = 2 ** 16;

/** The quota that a message is taken from. */
interface Price {
  readonly month: string;
  readonly limit: number | null;
}

export type Standing = { readonly status: 'queued' | 'failed'; readonly month: string | null };

/** What an opt-out stops while it waits. */
const isMarketing = ({ lane, origin }: SendOrder): boolean => lane === LANES.blast || origin?.kind === 'recurring';

/** The row of a message that is accepted now. */
export function outboundRow(device: DeviceRow, order: SendOrder, now: number, standing: Standing): MessageRow {
  const { id = newId(now), expiresAt } = order;
  return {
    _id: id,
    tenant_id: device.tenant_id,
    session_id: device._id,
    direction: 'outbound',
    chat_id: order.chat,
    sender: null,
    sender_name: null,
    message_type: order.message_type,
    body: order.body,
    parts: order.parts,
    media_r2_key: order.media_r2_key ?? null,
    status: standing.status,
    error: standing.status === 'failed' ? 'quota_exceeded' : null,
    net_id: networkId(device.secret, id, now),
    quotes: order.quotes,
    lane: order.lane,
    priority: order.priority,
    epoch: 0,
    attempts: 0,
    ...(order.origin && { origin: order.origin }),
    quota_month: standing.month,
    owes: standing.status === 'failed',
    rev: 0,
    created_at: now,
    ...(isMarketing(order) && { marketing: true }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    claimed_at: null,
    sent_at: null,
    delivered_at: null,
    read_at: null,
  };
}

const RECOUNT_MS = 1_000;

/** How much waits for each device, counted in the store only when what this node accepted since the last count could have filled it. */
class Backlogs {
  readonly #messages: Messages;
  readonly #limit: number;
  readonly #known = new Map<string, { depth: number; at: number }>();

  constructor(messages: Messages, limit: number) {
    this.#messages = messages;
    this.#limit = limit;
  }

  isFull(device: DeviceRow, now: number): boolean | Promise<boolean> {
    const known = this.#known.get(device._id);
    if (!known) return this.#count(device, now);
    if (known.depth++ < this.#limit) return false;
    // Either way: the wall clock may be set back.
    return Math.abs(now - known.at) < RECOUNT_MS || this.#count(device, now);
  }

  async #count(device: DeviceRow, now: number): Promise<boolean> {
    const { depth } = await this.#messages.backlog(device.tenant_id, device._id);
    this.#known.set(device._id, { depth: depth + 1, at: now });
    return depth >= this.#limit;
  }
}
