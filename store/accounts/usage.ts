import { countUpTo } from '../patterns/bounded-counter.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

interface UsageRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly period: string;
  readonly messages: number;
  /** Names of the latest refunds, so that no refund is applied twice. */
  readonly given?: readonly string[];
  /** Names of open batches, whose messages may not have been stored yet. */
  readonly open?: readonly string[];
}

export interface Usage {
  /**
   * Returns false if the messages would exceed `limit` (null: unlimited). After a crash, the
   * messages of a batch stay counted until `closeBatch`.
   */
  takeMessages(
    tenantId: string,
    period: string,
    count: number,
    limit: number | null,
    issued?: () => void,
    batch?: string,
  ): Promise<boolean>;
  /** Refunds `unused` messages once, and only if the batch had been counted. */
  closeBatch(tenantId: string, period: string, batch: string, unused: number): Promise<void>;
  giveBackMessages(tenantId: string, period: string, count: number): Promise<void>;
  /** Refunds only once for each name. The last hundred names are remembered. */
  giveBackOnce(tenantId: string, period: string, name: string, count: number): Promise<void>;
  messages(tenantId: string, period: string): Promise<number>;
}

interface Take {
  readonly count: number;
  readonly issued: (() => void) | undefined;
  settle(taken: boolean): void;
  fail(cause: unknown): void;
}

/** Near the limit, requests are handled one by one in order of arrival, so that as many as possible fit. */
async function takeOneByOne(takes: readonly Take[], one: (count: number) => Promise<boolean>): Promise<void> {
  let tooMuch = Number.POSITIVE_INFINITY;
  for (const { count, settle } of takes) {
    const taken = count < tooMuch && (await one(count));
    if (!taken) tooMuch = Math.min(tooMuch, count);
    settle(taken);
  }
}

const spec: CollectionSpec = {
  name: 'usage',
  indexes: [{ name: 'by_tenant', keys: { tenant_id: 1, period: -1 } }],
  arrays: ['given', 'open'],
};
const REMEMBERED = 100;
const remembered = (name: string): object => ({ $each: [name], $slice: -REMEMBERED });

export function usageIn(store: Store): Usage {
  const rows: Collection<UsageRow> = store.collection<UsageRow>(spec);
  const waiting = new Map<string, Take[]>();

  const take = (tenant_id: string, period: string, by: number, limit: number | null, batch?: string): Promise<boolean> => {
    const step = { _id: `${tenant_id}:${period}`, field: 'messages', by, limit, first: { tenant_id, period } };
    return countUpTo(rows, batch === undefined ? step : { ...step, push: { open: remembered(batch) } });
  };

  async function takeTogether(takes: readonly Take[], one: (count: number) => Promise<boolean>): Promise<void> {
    const whole = takes.length > 1 && (await one(takes.reduce((sum, { count }) => sum + count, 0)));
    if (whole) for (const { settle } of takes) settle(true);
    else await takeOneByOne(takes, one);
  }

  function join(key: string, one: (count: number) => Promise<boolean>): Take[] {
    const takes: Take[] = [];
    waiting.set(key, takes);
    setImmediate(() => {
      waiting.delete(key);
      takeTogether(takes, one).catch((cause) => {
        for (const { fail } of takes) fail(cause);
      });
      for (const { issued } of takes) issued?.();
    });
    return takes;
  }

  return {
    takeMessages(tenantId, period, count, limit, issued, batch) {
      if (batch !== undefined) return take(tenantId, period, count, limit, batch);
      const key = `${tenantId}:${period}:${limit}:${issued !== undefined}`;
      const takes = waiting.get(key) ?? join(key, (sum) => take(tenantId, period, sum, limit));
      return new Promise((settle, fail) => takes.push({ count, settle, fail, issued }));
    },

    async closeBatch(tenantId, period, batch, unused) {
      await rows.updateOne({ _id: `${tenantId}:${period}`, open: batch }, { $inc: { messages: -unused }, $pull: { open: batch } });
    },

    async giveBackMessages(tenantId, period, count) {
      await rows.updateOne({ _id: `${tenantId}:${period}` }, { $inc: { messages: -count } });
    },

    async giveBackOnce(tenantId, period, name, count) {
      const change = { $inc: { messages: -count }, $push: { given: remembered(name) } };
      await rows.updateOne({ _id: `${tenantId}:${period}`, given: { $ne: name } }, change);
    },

    async messages(tenantId, period) {
      return (await rows.findOne({ _id: `${tenantId}:${period}` }))?.messages ?? 0;
    },
  };
}
