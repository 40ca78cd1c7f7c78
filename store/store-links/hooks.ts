import { oneOfEach } from '../paging/one-of-each.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store } from '../port.ts';

export interface StoreHookRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly link_id: string;
  readonly no: number;
  readonly topic: string;
  readonly body: string | null;
  readonly shop_domain: string | null;
  readonly pending: boolean;
  readonly ref: string | null;
  readonly outcome: string | null;
  readonly detail: string | null;
  readonly created_at: number;
  readonly expires_at: number;
}

export interface HookResult {
  readonly ref: string | null;
  readonly outcome: string;
  readonly detail: string | null;
}

export interface StoreHooks {
  add(row: Omit<StoreHookRow, '_id'>): Promise<string>;
  find(linkId: string, id: string): Promise<StoreHookRow | null>;
  next(linkId: string, limit: number): Promise<readonly StoreHookRow[]>;
  isBehind(linkId: string): Promise<boolean>;
  handled(id: string, result: HookResult): Promise<void>;
  addHandled(row: Omit<StoreHookRow, '_id'>): Promise<void>;
  list(linkId: string, limit: number): Promise<StoreHookRow[]>;
  countSince(linkId: string, since: number, most: number): Promise<number>;
  waiting(): Promise<readonly Pick<StoreHookRow, 'tenant_id' | 'link_id'>[]>;
  addBeside(hook: StoreHookRow, nth: number, result: HookResult): Promise<void>;
  pending(linkId: string): AsyncIterable<StoreHookRow>;
  remove(id: string): Promise<boolean>;
  removeAll(linkId: string): Promise<void>;
}

export const storeHooksSpec: CollectionSpec = {
  name: 'store_hooks',
  // Has no index for the order, because ids already give it (hooksOf) and an index would cost
  // another page write per webhook.
  indexes: [{ name: 'pending', keys: { pending: 1, link_id: 1, no: 1 }, where: { pending: true } }],
  retired: ['newest'],
  expires: 'expires_at',
};

const MAX_TRIES = 50;
/**
 * Gap between the numbers of two webhooks. The numbers in between are reserved for further entries
 * of the first one.
 */
export const NUMBERS_APART = 10;

export const hookIdOf = ({ link_id, no }: Pick<StoreHookRow, 'link_id' | 'no'>): string => `${link_id}.${no}`;

/** Ids sort like numbers, because they all have the same length until 2286. */
export function hooksOf(link_id: string, { from, before }: { readonly from?: number; readonly before?: number } = {}): Filter {
  const $gte = from === undefined ? `${link_id}.` : hookIdOf({ link_id, no: from });
  return { _id: { $gte, $lt: before === undefined ? `${link_id}/` : hookIdOf({ link_id, no: before }) } };
}

export function storeHooksIn(store: Store): StoreHooks {
  const hooks: Collection<StoreHookRow> = store.collection<StoreHookRow>(storeHooksSpec);

  async function nextFree(link_id: string, taken: number): Promise<number> {
    const newest = await hooks.findOne(hooksOf(link_id, { from: taken }), { sort: { _id: -1 }, projection: { no: 1 } });
    return Math.max(taken, Math.floor((newest?.no ?? 0) / NUMBERS_APART) * NUMBERS_APART) + NUMBERS_APART;
  }

  return {
    async add(row) {
      let no = row.no;
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const _id = hookIdOf({ ...row, no });
        try {
          await hooks.insertOne({ ...row, _id, no });
          return _id;
        } catch (cause) {
          if (!isDuplicateKey(cause)) throw cause;
          no = await nextFree(row.link_id, no);
        }
      }
      throw new Error('no free number for a webhook of a store');
    },

    find: (link_id, _id) => hooks.findOne({ _id, link_id }),
    next: (link_id, limit) => hooks.find({ pending: true, link_id }, { sort: { no: 1 }, limit }).toArray(),
    isBehind: async (link_id) => (await hooks.findOne({ pending: true, link_id }, { sort: { no: 1 }, projection: { no: 1 } })) !== null,

    async handled(_id, result) {
      await hooks.updateOne({ _id, pending: true }, { $set: { ...result, pending: false, body: null } });
    },

    addHandled: async (row) => void (await hooks.insertOne({ ...row, _id: hookIdOf(row) })),

    async addBeside({ link_id, no, ...hook }, nth, result) {
      const beside = { ...hook, ...result, link_id, no: no + nth, _id: hookIdOf({ link_id, no: no + nth }), pending: false, body: null };
      await insertedOf(hooks, [beside]);
    },

    list: (link_id, limit) => hooks.find({ ...hooksOf(link_id), pending: false }, { sort: { _id: -1 }, limit }).toArray(),
    countSince: (link_id, since, limit) => hooks.countDocuments(hooksOf(link_id, { from: since * HOOKS_PER_MS }), { limit }),
    waiting: () => oneOfEach(hooks, { pending: true }, 'link_id'),
    pending: (link_id) => hooks.find({ pending: true, link_id }, { sort: { no: 1 } }),
    remove: async (_id) => (await hooks.deleteOne({ _id })).deletedCount === 1,
    removeAll: async (link_id) => void (await hooks.deleteMany(hooksOf(link_id))),
  };
}

/** Numbers start with the arrival time in ms. Up to this many webhooks can share a millisecond. */
export const HOOKS_PER_MS = 1_000;
