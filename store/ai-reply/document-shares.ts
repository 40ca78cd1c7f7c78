import { momentOfId } from '../../runtime/derived-ids.ts';
import { type Collection, isDuplicateKey, type Store } from '../port.ts';
import { type DocumentRow, documentsSpec } from './documents.ts';

const SHARED = { bytes: 'size', passages: 'chunks' } as const;
export type SharedByDocuments = keyof typeof SHARED;

type Shares = Readonly<Record<string, number>>;

interface SharesRow extends Readonly<Record<SharedByDocuments, Shares>> {
  readonly _id: string;
  readonly rev: number;
}

export interface DocumentShares {
  /** Returns false if the total would exceed `limit`. The document's row must be stored within an hour. */
  take(tenantId: string, what: SharedByDocuments, documentId: string, amount: number, limit: number, now: number): Promise<boolean>;
  free(tenantId: string, documentId: string): Promise<void>;
}

/** How long a share counts if no document row is stored. Storing the row takes far less time. */
const EXPECTED_MS = 3_600_000;

export function documentSharesIn(store: Store): DocumentShares {
  const documents: Collection<DocumentRow> = store.collection<DocumentRow>(documentsSpec);
  const rows: Collection<SharesRow> = store.collection<SharesRow>({ name: 'ai_document_shares', indexes: [] });

  async function first(_id: string): Promise<SharesRow> {
    const made = { _id, bytes: {}, passages: {}, rev: 0 };
    try {
      await rows.insertOne(made);
      return made;
    } catch (cause) {
      if (!isDuplicateKey(cause)) throw cause;
      return (await rows.findOne({ _id })) ?? made;
    }
  }

  async function others(tenant_id: string, what: SharedByDocuments, documentId: string, noted: Shares, now: number): Promise<Shares> {
    const there = await documents.find({ tenant_id }, { projection: { size: 1, chunks: 1 } }).toArray();
    const stored = there.map((row) => [row._id, noted[row._id] ?? row[SHARED[what]]] as const);
    const expected = Object.entries(noted).filter(([id]) => now - momentOfId(id) < EXPECTED_MS);
    const { [documentId]: _own, ...rest } = Object.fromEntries([...expected, ...stored]);
    return rest;
  }

  return {
    async take(_id, what, documentId, amount, limit, now) {
      for (;;) {
        const row = (await rows.findOne({ _id })) ?? (await first(_id));
        const rest = await others(_id, what, documentId, row[what], now);
        if (Object.values(rest).reduce((sum, share) => sum + share, amount) > limit) return false;
        const update = { $set: { [what]: { ...rest, [documentId]: amount }, rev: row.rev + 1 } };
        if ((await rows.updateOne({ _id, rev: row.rev }, update)).matchedCount === 1) return true;
      }
    },

    async free(_id, documentId) {
      const $unset = { [`bytes.${documentId}`]: '', [`passages.${documentId}`]: '' } as const;
      await rows.updateOne({ _id }, { $unset, $inc: { rev: 1 } });
    },
  };
}
