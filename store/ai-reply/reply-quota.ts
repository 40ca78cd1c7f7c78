import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

interface CountRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly used: number;
  /** The most recently counted replies, kept so that none is counted or refunded twice. */
  readonly counted: readonly string[];
}

export interface ReplyQuota {
  /** Returns true if the reply fits the limit or was already counted. */
  take(tenantId: string, month: string, replyId: string, limit: number): Promise<boolean>;
  giveBack(tenantId: string, month: string, replyId: string): Promise<void>;
  used(tenantId: string, month: string): Promise<number>;
}

const REMEMBERED = 1_000;

const spec: CollectionSpec = { name: 'ai_reply_counts', indexes: [], arrays: ['counted'] };

export function replyQuotaIn(store: Store): ReplyQuota {
  const counts: Collection<CountRow> = store.collection<CountRow>(spec);

  async function opened(_id: string, tenant_id: string): Promise<void> {
    try {
      await counts.insertOne({ _id, tenant_id, used: 0, counted: [] });
    } catch (cause) {
      if (!isDuplicateKey(cause)) throw cause;
    }
  }

  return {
    async take(tenantId, month, replyId, limit) {
      const _id = `${tenantId}:${month}`;
      const update = { $inc: { used: 1 }, $push: { counted: { $each: [replyId], $slice: -REMEMBERED } } };
      const filter = { _id, used: { $lt: limit }, counted: { $ne: replyId } };
      for (;;) {
        if ((await counts.updateOne(filter, update)).matchedCount === 1) return true;
        const row = await counts.findOne({ _id });
        if (!row) await opened(_id, tenantId);
        else if (row.counted.includes(replyId)) return true;
        else if (row.used >= limit) return false;
      }
    },

    async giveBack(tenantId, month, replyId) {
      await counts.updateOne({ _id: `${tenantId}:${month}`, counted: replyId }, { $inc: { used: -1 }, $pull: { counted: replyId } });
    },

    used: async (tenantId, month) => (await counts.findOne({ _id: `${tenantId}:${month}` }))?.used ?? 0,
  };
}
