import type { Collection, CollectionSpec, Doc, Store } from '../port.ts';

/**
 * Free-form messages of an official number in one month (UTC): priced ones, and paid automatic
 * replies that were allowed. A crash may lose a priced message from the count. A reply that is
 * repeated after a crash is counted once.
 */
export interface OfficialMonthRow extends Doc {
  /** `<device>:<YYYY-MM>`. */
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly service: number;
  readonly replies: number;
  /** Ids of the latest replies, by slot; absent: none were counted since this field exists. */
  readonly recent?: Readonly<Record<string, string>>;
  readonly expires_at: number;
}

export interface OfficialMonths {
  countService(of: Owned, now: number): Promise<number>;
  service(sessionId: string, now: number): Promise<number>;
  /** Allows one more paid automatic reply. Returns false if this month's `limit` is used up. The same `id` counts once. */
  takeReply(of: Owned, id: string | null, limit: number, now: number): Promise<boolean>;
}

interface Owned {
  readonly tenantId: string;
  readonly sessionId: string;
}

/** Free-form messages that the platform delivers free of charge per number and month. */
export const FREE_SERVICE = 1_000;
const KEPT_MS = 70 * 86_400_000;
/** Replies whose ids are kept, so that a repeated one is recognised. */
const REMEMBERED = 32;

const spec: CollectionSpec = {
  name: 'official_months',
  indexes: [{ name: 'by_tenant', keys: { tenant_id: 1 } }],
  expires: 'expires_at',
};

export function officialMonthsIn(store: Store): OfficialMonths {
  const months: Collection<OfficialMonthRow> = store.collection<OfficialMonthRow>(spec);
  const idOf = (sessionId: string, now: number): string => `${sessionId}:${new Date(now).toISOString().slice(0, 7)}`;

  const begin = async ({ tenantId: tenant_id, sessionId: session_id }: Owned, now: number): Promise<string> => {
    const _id = idOf(session_id, now);
    const first = { tenant_id, session_id, service: 0, replies: 0, expires_at: now + KEPT_MS };
    await months.updateOne({ _id }, { $setOnInsert: first }, { upsert: true });
    return _id;
  };

  return {
    async countService(of, now) {
      const _id = await begin(of, now);
      const after = await months.findOneAndUpdate({ _id }, { $inc: { service: 1 } }, { returnDocument: 'after' });
      return after?.service ?? 0;
    },
    service: async (sessionId, now) => (await months.findOne({ _id: idOf(sessionId, now) }))?.service ?? 0,
    async takeReply(of, id, limit, now) {
      const _id = await begin(of, now);
      for (;;) {
        const row = await months.findOne({ _id });
        // Deleting the tenant removes the row, and with it the device.
        if (!row) return false;
        const { replies, recent = {} } = row;
        if (id !== null && Object.values(recent).includes(id)) return true;
        if (replies >= limit) return false;
        const slot = id === null ? {} : { $set: { [`recent.${replies % REMEMBERED}`]: id } };
        if ((await months.updateOne({ _id, replies }, { $inc: { replies: 1 }, ...slot })).matchedCount === 1) return true;
      }
    },
  };
}
