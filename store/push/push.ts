import { present } from '../../runtime/invariant.ts';
import { upsertWhere } from '../patterns/upsert-where.ts';
import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export interface SubscriptionRow {
  /** SHA-256 of the endpoint. A browser belongs to the login that last subscribed it. */
  readonly _id: string;
  readonly tenant_id: string;
  readonly agent_id: string;
  readonly role: 'admin' | 'agent';
  readonly family: string;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly lang: 'en' | 'id';
  readonly created_at: number;
}

export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

export interface BrowserOwner {
  readonly tenantId: string;
  readonly agentId: string;
}

export interface PushStore {
  subscribe(row: SubscriptionRow, most: number): Promise<void>;
  renew(row: SubscriptionRow): Promise<boolean>;
  find(owner: BrowserOwner, id: string): Promise<SubscriptionRow | null>;
  unsubscribe(owner: BrowserOwner, id: string): Promise<void>;
  list(tenantId: string): Promise<SubscriptionRow[]>;
  forget(row: SubscriptionRow): Promise<void>;
  takeTurn(what: string, everyMs: number, now: number): Promise<boolean>;
  keys(make: () => VapidKeys): Promise<VapidKeys>;
}

interface TurnRow {
  readonly _id: string;
  readonly at: number;
  readonly expires_at: number;
}

export interface KeysRow extends VapidKeys {
  readonly _id: string;
}

const subscriptionsSpec: CollectionSpec = {
  name: 'push_subscriptions',
  indexes: [{ name: 'by_tenant', keys: { tenant_id: 1, created_at: -1, _id: -1 } }],
};
const turnsSpec: CollectionSpec = { name: 'push_turns', indexes: [], expires: 'expires_at' };
export const keysSpec: CollectionSpec = { name: 'push_keys', indexes: [] };
const THE_KEYS = 'vapid';

export function pushIn(store: Store): PushStore {
  const subscriptions: Collection<SubscriptionRow> = store.collection<SubscriptionRow>(subscriptionsSpec);
  const turns: Collection<TurnRow> = store.collection<TurnRow>(turnsSpec);
  const vapid: Collection<KeysRow> = store.collection<KeysRow>(keysSpec);

  const list = (tenant_id: string): Promise<SubscriptionRow[]> =>
    subscriptions.find({ tenant_id }, { sort: { created_at: -1, _id: -1 } }).toArray();

  const forget = async ({ _id, created_at }: SubscriptionRow): Promise<void> => void (await subscriptions.deleteOne({ _id, created_at }));

  return {
    async subscribe({ _id, ...fields }, most) {
      await upsertWhere(subscriptions, { _id }, { $set: fields });
      const own = (await list(fields.tenant_id)).filter(({ agent_id }) => agent_id === fields.agent_id);
      await Promise.all(own.slice(most).map(forget));
    },

    async renew({ _id, tenant_id, agent_id, family, p256dh, auth, lang, created_at }) {
      const same = { _id, tenant_id, agent_id, family, p256dh, auth };
      return (await subscriptions.updateOne(same, { $set: { lang, created_at } })).matchedCount === 1;
    },

    find: ({ tenantId, agentId }, _id) => subscriptions.findOne({ _id, tenant_id: tenantId, agent_id: agentId }),
    unsubscribe: async ({ tenantId, agentId }, _id) =>
      void (await subscriptions.deleteOne({ _id, tenant_id: tenantId, agent_id: agentId })),
    list,
    forget,

    takeTurn: (_id, everyMs, now) =>
      upsertWhere(turns, { _id, at: { $lte: now - everyMs } }, { $set: { at: now, expires_at: now + everyMs } }),

    async keys(make) {
      const known = await vapid.findOne({ _id: THE_KEYS });
      if (known) return known;
      const made = { _id: THE_KEYS, ...make() };
      try {
        await vapid.insertOne(made);
        return made;
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        return present(await vapid.findOne({ _id: THE_KEYS }), 'the pair of keys');
      }
    },
  };
}
