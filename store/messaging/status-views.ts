import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export interface StatusView {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly net_id: string;
  readonly phone: string | null;
  readonly lid: string | null;
  readonly name: string | null;
  readonly at: number;
  readonly expires_at: number;
}

export interface StatusViews {
  add(view: Omit<StatusView, '_id' | 'expires_at'>, now: number): Promise<void>;
  of(sessionId: string, netId: string, limit: number): Promise<readonly StatusView[]>;
  count(sessionId: string, netId: string, most: number): Promise<number>;
}

const KEPT_MS = 2 * 86_400_000;

const spec: CollectionSpec = {
  name: 'status_views',
  indexes: [{ name: 'of_status', keys: { session_id: 1, net_id: 1, at: 1 } }],
  expires: 'expires_at',
};

export function statusViewsIn(store: Store): StatusViews {
  const views: Collection<StatusView> = store.collection<StatusView>(spec);

  return {
    async add(view, now) {
      const _id = `${view.session_id}:${view.net_id}:${view.phone ?? view.lid}`;
      try {
        await views.insertOne({ _id, ...view, expires_at: now + KEPT_MS });
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
      }
    },

    of: (session_id, net_id, limit) => views.find({ session_id, net_id }, { sort: { at: -1 }, limit }).toArray(),

    count: (session_id, net_id, most) => views.countDocuments({ session_id, net_id }, { limit: most }),
  };
}
