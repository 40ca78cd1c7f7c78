import type { Logger } from 'pino';
import { RecentCache } from '../../../runtime/recent-cache.ts';
import { type Sealer, SecretUnreadable } from '../../../runtime/sealing/seal.ts';
import type { StoreLinkOwner } from '../../../store/store-links/links.ts';
import type { StoreMemory, StoreMemoryRow } from '../../../store/store-links/memory.ts';
import type { CheckoutMemory, Known, OrderMemory, ResolvedFact } from '../../store-link/protocol.ts';

/**
 * Remembers orders and checkouts in `store_memory`, so that later webhooks of a purchase are
 * recognised, and no reminder is sent for a cart that was bought.
 */

interface OpenedOrder {
  readonly sealed: string;
  readonly order: OrderMemory;
}

/** Phone numbers and names are encrypted. A row is found by a keyed hash of the phone number. */
export interface Remembered {
  known(linkId: string, fact: ResolvedFact, now: number): Promise<Known>;
  checkout(linkId: string, checkoutId: string): Promise<CheckoutMemory | null>;
  /** Stores an order. Returns false if a newer owner has taken over the link. */
  saveOrder(owner: StoreLinkOwner, memory: OrderMemory): Promise<boolean>;
  saveCheckout(owner: StoreLinkOwner, memory: CheckoutMemory): Promise<boolean>;
}

const DAY_MS = 86_400_000;
const REMEMBERED = 1_000;
const ORDER_KEPT_MS = 90 * DAY_MS;
const CHECKOUT_KEPT_MS = 30 * DAY_MS;
export const NOBODY_KNOWN: Known = { order: null, checkouts: [], orderedAt: null };

const orderKey = (linkId: string, orderId: string): string => `${linkId}/order/${orderId}`;
const checkoutKey = (linkId: string, checkoutId: string): string => `${linkId}/checkout/${checkoutId}`;

export function createRemembered(memory: StoreMemory, sealer: Sealer, log: Logger): Remembered {
  const phoneKeys = new RecentCache<string, string>(REMEMBERED);

  function phoneKeyOf(linkId: string, phone: string | null): string | null {
    if (phone === null) return null;
    const name = `${linkId} ${phone}`;
    const key = phoneKeys.get(name) ?? sealer.keyedHash(linkId, phone);
    phoneKeys.set(name, key);
    return key;
  }

  const orders = new RecentCache<string, OpenedOrder>(REMEMBERED);

  /** The type is known, because only `sealedRow` writes content with this seal. */
  const opened = <T>({ _id, link_id, sealed }: StoreMemoryRow): T => JSON.parse(sealer.open(link_id, _id, sealed));

  function openedOrder(row: StoreMemoryRow): OrderMemory {
    const known = orders.get(row._id);
    if (known?.sealed === row.sealed) return known.order;
    const order = opened<OrderMemory>(row);
    orders.set(row._id, { sealed: row.sealed, order });
    return order;
  }

  function openedCheckout(row: StoreMemoryRow): CheckoutMemory | null {
    try {
      return opened<CheckoutMemory>(row);
    } catch (cause) {
      if (!(cause instanceof SecretUnreadable)) throw cause;
      const { tenant_id: tenant, link_id: store } = row;
      log.error(
        { event: 'store_link.unreadable', tenant, store, err: cause },
        'no reminder is sent for a checkout that cannot be decrypted',
      );
      return null;
    }
  }

  async function orderOf(linkId: string, orderId: string): Promise<OrderMemory | null> {
    const row = await memory.find(orderKey(linkId, orderId));
    return row && openedOrder(row);
  }

  async function checkoutsOf(linkId: string, keys: readonly string[], phone: string | null): Promise<readonly CheckoutMemory[]> {
    const phoneKey = phoneKeyOf(linkId, phone);
    const rows = await memory.checkouts(linkId, keys, phoneKey);
    return rows.map((row) => openedCheckout(row) ?? lostCheckout(row, row.phone_key === phoneKey ? phone : null));
  }

  async function orderedAt(linkId: string, phone: string | null, now: number): Promise<number | null> {
    const key = phoneKeyOf(linkId, phone);
    return key === null ? null : memory.orderedAt(linkId, key, now - DAY_MS);
  }

  const sealedRow = (
    owner: StoreLinkOwner,
    row: Pick<StoreMemoryRow, '_id' | 'kind' | 'keys' | 'seen_at' | 'expires_at'>,
    what: { phone: string | null },
  ): StoreMemoryRow => ({
    ...row,
    tenant_id: owner.tenantId,
    link_id: owner.linkId,
    phone_key: phoneKeyOf(owner.linkId, what.phone),
    sealed: sealer.seal(owner.linkId, row._id, JSON.stringify(what)),
    epoch: owner.epoch,
  });

  return {
    async known(linkId, fact, now) {
      switch (fact.type) {
        case 'order': {
          const { id, checkoutKeys } = fact.order;
          const [order, checkouts] = await Promise.all([orderOf(linkId, id), checkoutsOf(linkId, checkoutKeys, fact.phone)]);
          return { ...NOBODY_KNOWN, order, checkouts };
        }
        case 'shipment':
          return { ...NOBODY_KNOWN, order: await orderOf(linkId, fact.shipment.orderId) };
        case 'checkout': {
          const { phone, checkout } = fact;
          const [checkouts, ordered] = await Promise.all([checkoutsOf(linkId, checkout.keys, phone), orderedAt(linkId, phone, now)]);
          return { ...NOBODY_KNOWN, checkouts, orderedAt: ordered };
        }
        case 'checkoutDeleted':
          return { ...NOBODY_KNOWN, checkouts: await checkoutsOf(linkId, [`id:${fact.checkoutId}`], null) };
        case 'ignored':
          return NOBODY_KNOWN;
      }
    },

    async checkout(linkId, checkoutId) {
      const row = await memory.find(checkoutKey(linkId, checkoutId));
      return row && openedCheckout(row);
    },

    saveOrder: (owner, order) => {
      const about = { _id: orderKey(owner.linkId, order.orderId), kind: 'order', keys: [], seen_at: order.seenAt } as const;
      const row = sealedRow(owner, { ...about, expires_at: order.seenAt + ORDER_KEPT_MS }, order);
      orders.set(row._id, { sealed: row.sealed, order });
      return memory.save(row);
    },

    saveCheckout: (owner, checkout) => {
      const { checkoutId, keys, seenAt } = checkout;
      const row = { _id: checkoutKey(owner.linkId, checkoutId), kind: 'checkout', keys, seen_at: seenAt } as const;
      return memory.save(sealedRow(owner, { ...row, expires_at: seenAt + CHECKOUT_KEPT_MS }, checkout));
    },
  };
}

/** Replaces a checkout that cannot be decrypted. To be safe, its reminder counts as sent. */
const lostCheckout = ({ _id, link_id, keys, seen_at }: StoreMemoryRow, phone: string | null): CheckoutMemory => ({
  checkoutId: _id.slice(checkoutKey(link_id, '').length),
  keys,
  phone,
  status: 'waiting',
  remindAt: seen_at,
  remindedBy: null,
  cancelledBy: null,
  seenAt: seen_at,
});
