import type { Collection, CollectionSpec, Doc, Store } from '../port.ts';

/** Priced free-form messages and paid automatic replies of one number in one month (UTC). */
export interface OfficialMonthRow extends Doc {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly service: number;
  readonly replies: number;
  readonly recent?: Readonly<Record<string, number>>;
  readonly expires_at: number;
}

export interface OfficialMonths {
  countService(of: Owned, now: number): Promise<number>;
  service(sessionId: string, now: number): Promise<number>;
  /** Returns false if this month's `limit` is used up. Repeated calls with an `id` count only once. */
  takeReply(of: Owned, id: string | null, limit: number, now: number): Promise<boolean>;
}

interface Owned {
  readonly tenantId: string;
  readonly sessionId: string;
}

/** Number of free-form messages per number and month that the platform delivers free of charge. */
export const FREE_SERVICE = 1_000;
const KEPT_MS = 70 * 86_400_000;
const REMEMBERED = 100;

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

  const forgetOldest = async ({ _id, recent = {} }: OfficialMonthRow): Promise<void> => {
    const ids = Object.keys(recent);
    if (ids.length <= 2 * REMEMBERED) return;
    const oldest = ids.toSorted((one, other) => (recent[one] ?? 0) - (recent[other] ?? 0)).slice(0, -REMEMBERED);
    await months.updateOne({ _id }, { $unset: Object.fromEntries(oldest.map((id) => [`recent.${id}`, ''])) });
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
      const field = `recent.${id}`;
      const isNew = id === null ? {} : { [field]: { $exists: false } };
      const seen = id === null ? {} : { $set: { [field]: now } };
      const counted = { $inc: { replies: 1 }, ...seen };
      const after = await months.findOneAndUpdate({ _id, replies: { $lt: limit }, ...isNew }, counted, { returnDocument: 'after' });
      if (after) {
        await forgetOldest(after);
        return true;
      }
      // The row is missing if the tenant and its device have been deleted in the meantime.
      return id !== null && Object.hasOwn((await months.findOne({ _id }))?.recent ?? {}, id);
    },
  };
}
