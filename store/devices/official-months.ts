import type { Collection, CollectionSpec, Doc, Store } from '../port.ts';

/**
 * Free-form messages of an official number in one month (UTC): priced ones, and paid automatic
 * replies that were allowed. A crash may lose one from the count.
 */
export interface OfficialMonthRow extends Doc {
  /** `<device>:<YYYY-MM>`. */
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly service: number;
  readonly replies: number;
  readonly expires_at: number;
}

export interface OfficialMonths {
  countService(of: Owned, now: number): Promise<number>;
  service(sessionId: string, now: number): Promise<number>;
  /** Allows one more paid automatic reply. Returns false if this month's `limit` is used up. */
  takeReply(of: Owned, limit: number, now: number): Promise<boolean>;
}

interface Owned {
  readonly tenantId: string;
  readonly sessionId: string;
}

/** Free-form messages that the platform delivers free of charge per number and month. */
export const FREE_SERVICE = 1_000;
const KEPT_MS = 70 * 86_400_000;

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
    async takeReply(of, limit, now) {
      const _id = await begin(of, now);
      return (await months.updateOne({ _id, replies: { $lt: limit } }, { $inc: { replies: 1 } })).matchedCount === 1;
    },
  };
}
