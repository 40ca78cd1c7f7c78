import { oneOfEach } from '../paging/one-of-each.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import { type Collection, type CollectionSpec, type Filter, isDuplicateKey, type Store } from '../port.ts';

/** One webhook of a store, and what became of it. Times are epoch ms. */
export interface StoreHookRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly link_id: string;
  /** Rises within a store: the id that its owner sees. */
  readonly no: number;
  readonly topic: string;
  /** As the store sent it, sealed; null once it was handled. */
  readonly body: string | null;
  readonly shop_domain: string | null;
  /** Not handled yet. */
  readonly pending: boolean;
  readonly ref: string | null;
  /** null: not handled yet. */
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
  /** Stores it under the next free number from `row.no` on; gives its id. */
  add(row: Omit<StoreHookRow, '_id'>): Promise<string>;
  find(linkId: string, id: string): Promise<StoreHookRow | null>;
  /** The oldest that were not handled. */
  next(linkId: string, limit: number): Promise<readonly StoreHookRow[]>;
  /** Is there one that was not handled? */
  isBehind(linkId: string): Promise<boolean>;
  /** Its body goes. Repeating it changes nothing. */
  handled(id: string, result: HookResult): Promise<void>;
  /** Stores one that was handled before it was stored. A duplicate key: its number is taken. */
  addHandled(row: Omit<StoreHookRow, '_id'>): Promise<void>;
  /** Handled ones, newest first. */
  list(linkId: string, limit: number): Promise<StoreHookRow[]>;
  /** How many came since. */
  countSince(linkId: string, since: number, most: number): Promise<number>;
  /** Stores with one that was not handled. */
  waiting(): Promise<readonly Pick<StoreHookRow, 'tenant_id' | 'link_id'>[]>;
  /** A line that follows from a webhook, beside its own: the `nth` (from 1, up to 9). Repeating it changes nothing. */
  addBeside(hook: StoreHookRow, nth: number, result: HookResult): Promise<void>;
  /** Those that were not handled, oldest first. */
  pending(linkId: string): AsyncIterable<StoreHookRow>;
  /** False: it was gone. */
  remove(id: string): Promise<boolean>;
  /** Takes all of a store's away. */
  removeAll(linkId: string): Promise<void>;
}

export const storeHooksSpec: CollectionSpec = {
  name: 'store_hooks',
  // Those of a store lie in their order by their ids (see hooksOf): a second index in that order would cost each webhook a page of its own.
  indexes: [{ name: 'pending', keys: { pending: 1, link_id: 1, no: 1 }, where: { pending: true } }],
  retired: ['newest'],
  expires: 'expires_at',
};

const MAX_TRIES = 50;
/** Between the numbers of two webhooks, for lines that follow from the first. */
export const NUMBERS_APART = 10;

export const hookIdOf = ({ link_id, no }: Pick<StoreHookRow, 'link_id' | 'no'>): string => `${link_id}.${no}`;

/** Of one store, between two numbers: those from `from` on, and before `before`. In the order of their ids, numbers having the same count of digits until 2286. */
export function hooksOf(link_id: string, { from, before }: { readonly from?: number; readonly before?: number } = {}): Filter {
  const $gte = from === undefined ? `${link_id}.` : hookIdOf({ link_id, no: from });
  return { _id: { $gte, $lt: before === undefined ? `${link_id}/` : hookIdOf({ link_id, no: before }) } };
}

export function storeHooksIn(store: Store): StoreHooks {
  const hooks: Collection<StoreHookRow> = store.collection<StoreHookRow>(storeHooksSpec);

  /** After all that came at this moment or later, of which there may be many. */
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

/** Numbers begin with the moment a webhook came: room for so many in one ms. */
export const HOOKS_PER_MS = 1_000;
