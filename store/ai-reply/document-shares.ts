import { momentOfId } from '../../runtime/derived-ids.ts';
import { type Collection, isDuplicateKey, type Store } from '../port.ts';
import { type DocumentRow, documentsSpec } from './documents.ts';

/** What all documents of a tenant may have together, and the field of a document that says how much it has. */
const SHARED = { bytes: 'size', passages: 'chunks' } as const;
export type SharedByDocuments = keyof typeof SHARED;

type Shares = Readonly<Record<string, number>>;

interface SharesRow extends Readonly<Record<SharedByDocuments, Shares>> {
  /** The tenant. */
  readonly _id: string;
  /** Counts its changes: each applies to the revision that was read, or not at all. */
  readonly rev: number;
}

/** How much each document has of what its tenant's documents may have together: exact however many ask at once, on however many nodes. */
export interface DocumentShares {
  /**
   * Notes what a document has, in place of what it had; false: all would have more than `limit`, and nothing changed. It may come before the
   * document has its row, which is expected within the hour.
   */
  take(tenantId: string, what: SharedByDocuments, documentId: string, amount: number, limit: number, now: number): Promise<boolean>;
  /** The document is gone, or never came. */
  free(tenantId: string, documentId: string): Promise<void>;
}

/** Far longer than a row takes once its share is noted. */
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

  /** Of every other document. */
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
