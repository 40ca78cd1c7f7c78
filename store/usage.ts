import type { Collection, CollectionSpec, Store } from './collection.ts';
import { countUpTo } from './counters.ts';

interface UsageRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly period: string;
  readonly messages: number;
  /** What was given back last, by name: none of it is given back again. */
  readonly given?: readonly string[];
}

/** What a tenant used in a month. A period is `YYYY-MM`. */
export interface Usage {
  /**
   * Takes `count` messages of the period's quota (spec.md part 8); false: they do not fit under `limit` and nothing was taken. `limit` null:
   * no end (a plan with overage). Takes of one event-loop turn share one write.
   */
  takeMessages(tenantId: string, period: string, count: number, limit: number | null): Promise<boolean>;
  /** Returns what was taken for messages that never left. */
  giveBackMessages(tenantId: string, period: string, count: number): Promise<void>;
  /** Returns one message, however often it is repeated under the same name: the last hundred names are remembered. */
  giveBackOnce(tenantId: string, period: string, name: string): Promise<void>;
  /** How many messages of the period are taken. */
  messages(tenantId: string, period: string): Promise<number>;
}

interface Take {
  readonly count: number;
  settle(taken: boolean | Promise<boolean>): void;
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

const spec: CollectionSpec = { name: 'usage', indexes: [{ name: 'by_tenant', keys: { tenant_id: 1, period: -1 } }], arrays: ['given'] };
const REMEMBERED = 100;

export function usageIn(store: Store): Usage {
  const rows: Collection<UsageRow> = store.collection<UsageRow>(spec);
  const waiting = new Map<string, Take[]>();

  const take = (tenant_id: string, period: string, by: number, limit: number | null): Promise<boolean> =>
    countUpTo(rows, { _id: `${tenant_id}:${period}`, field: 'messages', by, limit, first: { tenant_id, period } });

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
        for (const { settle } of takes) settle(Promise.reject(cause));
      });
    });
    return takes;
  }

  return {
    takeMessages(tenantId, period, count, limit) {
      const key = `${tenantId}:${period}:${limit}`;
      const takes = waiting.get(key) ?? join(key, (sum) => take(tenantId, period, sum, limit));
      return new Promise((settle) => takes.push({ count, settle }));
    },

    async giveBackMessages(tenantId, period, count) {
      await rows.updateOne({ _id: `${tenantId}:${period}` }, { $inc: { messages: -count } });
    },

    async giveBackOnce(tenantId, period, name) {
      const given = { $each: [name], $slice: -REMEMBERED };
      await rows.updateOne({ _id: `${tenantId}:${period}`, given: { $ne: name } }, { $inc: { messages: -1 }, $push: { given } });
    },

    async messages(tenantId, period) {
      return (await rows.findOne({ _id: `${tenantId}:${period}` }))?.messages ?? 0;
    },
  };
}
