/**
 * Webhooks of the vendor's platform, split by number. They are stored before the response is sent,
 * processed by the number's owner, and kept for eight more days, so that repeated webhooks have no
 * effect. The content is sealed for the number and removed after processing.
 */

import type { Collection, CollectionSpec, Doc, Store } from '../port.ts';

export interface OfficialHookRow extends Doc {
  readonly tenant_id: string;
  readonly session_id: string;
  readonly body: string;
  readonly waiting: boolean;
  readonly weight: number;
  readonly seq: string;
  readonly expires_at: number;
}

/** The vendor resends a webhook for at most seven days. */
export const HOOK_KEPT_MS = 8 * 86_400_000;

const LEAST_WEIGHT = 4_096;
const MOST_WEIGHT = 8 * 1024 * 1024;
const WEIGHTS: readonly number[] = Array.from({ length: Math.log2(MOST_WEIGHT / LEAST_WEIGHT) + 1 }, (_, nth) => LEAST_WEIGHT * 2 ** nth);

/** Rounds up to a power of two (at least 4 KB), so that an index count gives the total size. */
export const hookWeight = (body: string): number => WEIGHTS.find((weight) => body.length <= weight) ?? MOST_WEIGHT;

const READ_LENGTH = 1024 * 1024;

export interface OfficialHooks {
  /** Stores all webhooks in one commit if the store supports it. Existing ones are unchanged. */
  add(rows: readonly OfficialHookRow[]): Promise<void>;
  /** Returns the oldest webhooks first: at most `limit`, and fewer if they are long. */
  waiting(sessionId: string, limit: number): Promise<readonly OfficialHookRow[]>;
  done(ids: readonly string[]): Promise<void>;
  waitingBytes(of: { readonly session_id: string } | { readonly tenant_id: string }, limit: number): Promise<number>;
  forget(sessionId: string): Promise<void>;
}

export const officialHooksSpec: CollectionSpec = {
  name: 'official_hooks',
  indexes: [
    { name: 'waiting', keys: { session_id: 1, seq: 1 }, where: { waiting: true } },
    { name: 'of_session', keys: { session_id: 1 } },
    { name: 'waiting_of_session', keys: { session_id: 1, weight: 1 }, where: { waiting: true } },
    { name: 'waiting_of_tenant', keys: { tenant_id: 1, weight: 1 }, where: { waiting: true } },
  ],
  expires: 'expires_at',
};

export function officialHooksIn(store: Store): OfficialHooks {
  const hooks: Collection<OfficialHookRow> = store.collection<OfficialHookRow>(officialHooksSpec);

  return {
    async add(rows) {
      const write = (): Promise<unknown>[] =>
        rows.map(({ _id, ...row }) => hooks.updateOne({ _id }, { $setOnInsert: row }, { upsert: true }));
      await Promise.all(store.together ? store.together(write) : write());
    },
    async waiting(session_id, limit) {
      const rows: OfficialHookRow[] = [];
      let size = 0;
      for await (const row of hooks.find({ session_id, waiting: true }, { sort: { seq: 1 }, limit })) {
        rows.push(row);
        size += row.body.length;
        if (size >= READ_LENGTH) break;
      }
      return rows;
    },
    done: async (ids) => void (await hooks.updateMany({ _id: { $in: ids } }, { $set: { waiting: false, body: '' } })),
    async waitingBytes(of, limit) {
      let bytes = 0;
      for (const weight of WEIGHTS.toReversed()) {
        const most = Math.ceil((limit - bytes) / weight);
        if (most <= 0) break;
        bytes += weight * (await hooks.countDocuments({ ...of, waiting: true, weight }, { limit: most }));
      }
      return bytes;
    },
    forget: async (session_id) => void (await hooks.deleteMany({ session_id })),
  };
}
