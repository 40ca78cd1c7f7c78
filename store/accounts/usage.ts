import { countUpTo } from '../patterns/bounded-counter.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

interface UsageRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly period: string;
  readonly messages: number;
  /** Names of the last returns: none of them is returned again. */
  readonly given?: readonly string[];
  /** Names of batches that are taken, and whose messages may not be stored yet. */
  readonly open?: readonly string[];
}

/** The usage of a tenant in a month. A period is `YYYY-MM`. */
export interface Usage {
  /**
   * Takes `count` messages of the period's quota; false: they do not fit under `limit` and nothing was taken. `limit` null:
   * no end (a plan with overage). Takes of one event-loop turn share one write. `issued` is called when that write is on its way: a store that
   * works in order does what it is asked from then on later. Such takes share only among themselves, so that they have to be certain.
   * `batch`: their name until `closeBatch`, by which a crash does not lose them; they share with nobody. The last hundred names are remembered.
   */
  takeMessages(
    tenantId: string,
    period: string,
    count: number,
    limit: number | null,
    issued?: () => void,
    batch?: string,
  ): Promise<boolean>;
  /** The messages of a batch are stored, but for `unused`, which are returned: once, and only if the batch was taken. */
  closeBatch(tenantId: string, period: string, batch: string, unused: number): Promise<void>;
  /** Returns the quota of messages that never left. */
  giveBackMessages(tenantId: string, period: string, count: number): Promise<void>;
  /** Returns `count` messages, however often it is repeated under the same name: the last hundred names are remembered. */
  giveBackOnce(tenantId: string, period: string, name: string, count: number): Promise<void>;
  /** How many messages of the period are taken. */
  messages(tenantId: string, period: string): Promise<number>;
}

interface Take {
  readonly count: number;
  readonly issued: (() => void) | undefined;
  settle(taken: boolean): void;
  fail(cause: unknown): void;
}

/** Near the limit each stands for itself, in the order they came, so that as many as fit are taken. */
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
        // Some may be settled: theirs stays as it is.
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
