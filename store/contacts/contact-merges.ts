import type { Collection, CollectionSpec, Store } from '../port.ts';
import type { ContactRow } from './contacts.ts';

interface ContactMergeRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly into: string;
  readonly phone: string;
  readonly former: ContactRow;
  readonly expires_at: number;
}

export interface ContactMerges {
  note(tenantId: string, from: ContactRow, into: string, now: number): Promise<void>;
  /**
   * Returns the contact that had one of these numbers. If there are several, returns the most
   * recently merged one.
   */
  former(tenantId: string, phones: readonly string[]): Promise<ContactRow | null>;
  survivor(tenantId: string, from: string): Promise<string | null>;
}

const KEPT_MS = 30 * 86_400_000;
const FOLLOWED = 20;

const spec: CollectionSpec = {
  name: 'contact_merges',
  indexes: [
    { name: 'of_tenant', keys: { tenant_id: 1 } },
    { name: 'of_phone', keys: { tenant_id: 1, phone: 1, expires_at: -1 } },
  ],
  expires: 'expires_at',
};

export function contactMergesIn(store: Store): ContactMerges {
  const merges: Collection<ContactMergeRow> = store.collection<ContactMergeRow>(spec);
  const keyOf = (tenantId: string, id: string): string => `${tenantId}:${id}`;

  return {
    async note(tenant_id, from, into, now) {
      const row = { tenant_id, into, phone: from.phone, former: from, expires_at: now + KEPT_MS };
      await merges.updateOne({ _id: keyOf(tenant_id, from._id) }, { $set: row }, { upsert: true });
    },

    async former(tenant_id, phones) {
      const row = await merges.findOne({ tenant_id, phone: { $in: phones } }, { sort: { expires_at: -1 } });
      return row?.former ?? null;
    },

    async survivor(tenantId, from) {
      let found: string | null = null;
      for (let steps = 0; steps < FOLLOWED; steps += 1) {
        const row: ContactMergeRow | null = await merges.findOne({ _id: keyOf(tenantId, found ?? from) });
        if (!row) break;
        found = row.into;
      }
      return found;
    },
  };
}
