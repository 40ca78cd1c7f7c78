import { hash } from 'node:crypto';
import { newId } from '../../../runtime/ids.ts';
import { safeText } from '../../../runtime/safe-text.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { hasText } from '../../../store/messaging/message-row.ts';
import {
  type AiFacts,
  LANES,
  type MessageParts,
  type MessageRow,
  type Messages,
  type MessageType,
  type Origin,
} from '../../../store/messaging/messages.ts';
import { newMessage } from '../../../store/messaging/new-message.ts';
import { isDuplicateKey } from '../../../store/port.ts';
import { monthBounds, monthIn } from '../../domain/billing/periods.ts';
import type { Plan } from '../../domain/plans.ts';
import { refusal } from '../../domain/refusals.ts';
import type { Accepted } from './idempotency.ts';
import { QueueRoom } from './queue-room.ts';
import type { Quota } from './quota.ts';
import type { Ahead, QuotaCache } from './quota-cache.ts';

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
  /** Its purpose, unless it is a call of its own. */
  readonly origin?: Origin;
  /** Epoch ms; not sent after it. */
  readonly expiresAt?: number;
  /** An opt-out stops it while it waits. */
  readonly isMarketing?: true;
  /** Of an AI reply. */
  readonly ai?: AiFacts;
  /** The person who wrote it: see `MessageRow.written_by`. */
  readonly writtenBy?: string;
  /** See `MessageRow.made_by`. */
  readonly madeBy?: MessageRow['made_by'];
  /** See `MessageRow.automatic`. */
  readonly isAutomatic?: true;
}

export interface SendingDeps {
  readonly messages: Messages;
  /** With `takeAhead`, counting a message and storing it share a commit. */
  readonly quota: Quota & Partial<Pick<QuotaCache, 'takeAhead'>>;
  /** Messages that may wait for one device; one more is refused with OVERLOADED. */
  readonly queueLimit: number;
  /** Tells the device that this row waits; without an id, that rows wait or have ended, whose outbox is to be processed. Losing it loses nothing. */
  hint(device: Pick<DeviceRow, '_id' | 'tenant_id'>, id?: string): void;
  /** Tells the device of a row whose write has begun, where it may begin one of its own behind it. Losing it loses nothing. */
  hintAhead?(device: DeviceRow, row: MessageRow): void;
}

export interface Sending {
  /**
   * Stores a message for its device, durable when it resolves. `failed` is a plan's quota that is used up
   *: stored too. Refuses OVERLOADED when too much waits for the device: nothing was stored.
   */
  accept(device: DeviceRow, plan: Plan, order: SendOrder, now: number): Promise<Accepted>;
  /** Rows wait for this device: it may look at once. Losing it loses nothing. */
  hint(device: Pick<DeviceRow, '_id' | 'tenant_id'>): void;
}

export function createSending({ messages, quota, queueLimit, hint, hintAhead }: SendingDeps): Sending {
  const queueRoom = new QueueRoom(messages, queueLimit);

  async function paidFirst(device: DeviceRow, order: SendOrder, { month, limit }: Price, now: number): Promise<MessageRow> {
    const paid = await quota.take(device.tenant_id, month, 1, limit);
    const row = outboundRow(device, order, now, paid ? { status: 'queued', month } : { status: 'failed', month: null });
    const { there } = await stored(row);
    // Under an id that was chosen before, it may be there already: then that one counts.
    if (there && paid) await quota.giveBack(device.tenant_id, month, 1);
    return there ?? row;
  }

  async function paidMeanwhile(
    device: DeviceRow,
    order: SendOrder,
    { month }: Price,
    now: number,
    { taking, issued }: Ahead,
  ): Promise<MessageRow> {
    const row = outboundRow(device, order, now, { status: 'queued', month });
    // Counted first, even if this process dies: every stored message is counted.
    const [taken, kept] = await Promise.allSettled([taking, issued.then(() => storedAhead(device, order, row))]);
    // Whether it is stored or counted is not known then, and nothing is given back that may not have been taken.
    if (kept.status === 'rejected') throw kept.reason;
    const { there } = kept.value;
    if (taken.status === 'rejected') {
      if (!there && (await messages.withdraw(row))) throw taken.reason;
      return there ?? row;
    }
    if (there && taken.value) await quota.giveBack(device.tenant_id, month, 1);
    if (there || taken.value) return there ?? row;
    return (await messages.refuseUnpaid(row)) ?? row;
  }

  const stored = (row: MessageRow): Promise<{ there: MessageRow | null }> =>
    messages.accept(row).then(
      () => ({ there: null }),
      (cause) => thereBefore(row, cause),
    );

  /** Under an id that was chosen before, another row may be there, even of another device of a rotator. */
  function storedAhead(device: DeviceRow, { id }: SendOrder, row: MessageRow): Promise<{ there: MessageRow | null }> {
    const storing = stored(row);
    if (device.wanted && id === undefined) hintAhead?.(device, row);
    return storing;
  }

  async function thereBefore(row: MessageRow, cause: unknown): Promise<{ there: MessageRow | null }> {
    const there = isDuplicateKey(cause) ? await messages.findAnywhere(row.tenant_id, row._id) : null;
    if (!there) throw cause;
    return { there };
  }

  async function acceptIn(device: DeviceRow, plan: Plan, order: SendOrder, now: number): Promise<Accepted> {
    const price: Price = { month: monthOf(now, plan.zone), limit: plan.overage ? null : plan.messages };
    const asked = quota.takeAhead?.(device.tenant_id, price.month, price.limit, now);
    const ahead = asked instanceof Promise ? await asked : asked;
    const { _id: id, status } = await (ahead ? paidMeanwhile(device, order, price, now, ahead) : paidFirst(device, order, price, now));
    // One that failed at once waits for nothing, but its event and its chat are its device's work too.
    if (status === 'failed') hint(device);
    else if (device.wanted) hint(device, id);
    return { id, status: status === 'failed' ? status : 'queued', wa_message_id: null };
  }

  return {
    hint,

    async accept(device, plan, order, now) {
      const entered = queueRoom.enter(device, now);
      if (entered !== true && !(await entered)) throw refusal('OVERLOADED', { retryAfterMs: 5_000 });
      try {
        return await acceptIn(device, plan, order, now);
      } finally {
        queueRoom.left(device._id);
      }
    },
  };
}

/** The month of a quota, `YYYY-MM`: the calendar month of `zone` (IANA) at `now` (epoch ms). */
export function monthOf(now: number, zone = 'UTC'): string {
  const known = MONTHS.get(zone);
  if (known && known.start <= now && now < known.end) return known.name;
  const name = monthIn(zone, now);
  MONTHS.set(zone, { name, ...monthBounds(zone, name) });
  return name;
}

/** Of each zone the month that was asked for last: the calendar of a zone costs more than the rest of an accepted send. */
const MONTHS = new Map<string, { readonly name: string; readonly start: number; readonly end: number }>();

/**
 * The network's id of a message, the same on every try: derived from nothing but its row and its device's secret, so
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

export type InitialStatus = { readonly status: 'queued' | 'failed'; readonly month: string | null };

/** What an opt-out stops while it waits. */
const isMarketing = ({ lane, origin, isMarketing: isSaid }: SendOrder): boolean =>
  isSaid === true || lane === LANES.campaign || origin?.kind === 'recurring';

/** The row of a message that is accepted now. */
export function outboundRow(device: DeviceRow, order: SendOrder, now: number, authorization: InitialStatus): MessageRow {
  const { id = newId(now), expiresAt, ai, writtenBy, madeBy, isAutomatic } = order;
  return newMessage({
    _id: id,
    tenant_id: device.tenant_id,
    session_id: device._id,
    direction: 'outbound',
    chat_id: order.chat,
    message_type: order.message_type,
    body: order.body !== null && hasText(order.message_type) ? safeText(order.body) : null,
    parts: order.parts,
    media_r2_key: order.media_r2_key ?? null,
    status: authorization.status,
    error: authorization.status === 'failed' ? 'quota_exceeded' : null,
    net_id: networkId(device.secret, id, now),
    quotes: order.quotes,
    lane: order.lane,
    priority: order.priority,
    ...(order.origin && { origin: order.origin }),
    ...(ai && { ai }),
    ...(writtenBy !== undefined && { written_by: writtenBy }),
    ...(madeBy && { made_by: madeBy }),
    ...(isAutomatic && { automatic: true }),
    quota_month: authorization.month,
    outbox_pending: authorization.status === 'failed',
    created_at: now,
    ...(isMarketing(order) && { marketing: true }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  });
}
