import type { SafeText } from '../../runtime/safe-text.ts';
import { insertPlaced, type Placed, placesIndex } from '../patterns/places.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

export const DOCUMENT_TYPES = ['pdf', 'docx', 'xlsx', 'csv', 'txt', 'md', 'html'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/**
 * When a `ready` or `failed` document is read again, its status is `parsing`. Its old text is used
 * in the meantime.
 */
export type DocumentStatus = 'uploading' | 'parsing' | 'ready' | 'failed' | 'deleting';

export interface DocumentRow extends Placed {
  readonly _id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly ext: DocumentType;
  readonly size: number;
  readonly status: DocumentStatus;
  readonly progress: number;
  readonly chunks: number;
  /** The error of a `failed` document, or a warning about a `ready` one. */
  readonly error: { readonly en: string; readonly id: string } | null;
  readonly warnings?: readonly { readonly en: string; readonly id: string }[];
  readonly engine: 'engine_a' | 'local';
  readonly source_url: string | null;
  readonly blob: string | null;
  /** Version of the passages in use; null if the document has never been read. */
  readonly version: string | null;
  /** The model that embedded all passages of `version`; null if some may lack a vector. */
  readonly vectors_model: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface PassageRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly document_id: string;
  readonly version: string;
  readonly number: number;
  readonly heading: SafeText;
  readonly text: SafeText;
  /** If true, `heading` is a question and `text` is its complete answer. */
  readonly is_answer?: true;
  readonly vector_of?: string;
  readonly vector?: string;
}

export interface PassageVector extends Pick<PassageRow, '_id'> {
  readonly vector: string;
}

export type DocumentPatch = Partial<Omit<DocumentRow, '_id' | 'tenant_id' | 'created_at'>>;

export interface Documents {
  add(row: DocumentRow, limit: number): Promise<boolean>;
  find(tenantId: string, id: string): Promise<DocumentRow | null>;
  list(tenantId: string): Promise<DocumentRow[]>;
  move(tenantId: string, id: string, from: readonly DocumentStatus[], patch: DocumentPatch): Promise<DocumentRow | null>;
  remove(tenantId: string, id: string): Promise<void>;
  addPassages(rows: readonly PassageRow[]): Promise<void>;
  passages(documentId: string, version: string, after: number, limit: number): Promise<PassageRow[]>;
  passagesWithout(documentId: string, version: string, vectorOf: string, after: number, limit: number): Promise<PassageRow[]>;
  addVectors(vectorOf: string, vectors: readonly PassageVector[]): Promise<void>;
  embedded(tenantId: string, id: string, version: string, model: string): Promise<boolean>;
  unembedded(model: string, before: number, limit: number): Promise<DocumentRow[]>;
  removePassages(documentId: string, version: string | null): Promise<void>;
  stale(before: number, limit: number): Promise<DocumentRow[]>;
  inUse(blobs: readonly string[]): Promise<ReadonlySet<string>>;
}

export const documentsSpec: CollectionSpec = {
  name: 'ai_documents',
  indexes: [
    { name: 'by_tenant', keys: { tenant_id: 1, created_at: -1, _id: -1 } },
    { name: 'by_blob', keys: { blob: 1 }, where: { blob: { $gte: '' } } },
    { name: 'by_status', keys: { status: 1, updated_at: 1 } },
    { name: 'by_vectors', keys: { status: 1, vectors_model: 1, updated_at: 1 } },
    placesIndex(),
  ],
};
const passagesSpec: CollectionSpec = {
  name: 'ai_passages',
  indexes: [{ name: 'of_document', keys: { document_id: 1, version: 1, number: 1 } }],
};

const WORKED_ON: readonly DocumentStatus[] = ['parsing', 'deleting'];
/** Number of passages removed in one write. A larger write would delay other callers. */
const REMOVED_TOGETHER = 200;
const AFTER = { returnDocument: 'after' } as const;

export function documentsIn(store: Store): Documents {
  const documents: Collection<DocumentRow> = store.collection<DocumentRow>(documentsSpec);
  const passages: Collection<PassageRow> = store.collection<PassageRow>(passagesSpec);

  return {
    add: (row, limit) => insertPlaced(documents, row, limit),
    find: (tenant_id, _id) => documents.findOne({ _id, tenant_id }),
    list: (tenant_id) => documents.find({ tenant_id }, { sort: { created_at: -1, _id: -1 } }).toArray(),
    move: (tenant_id, _id, from, patch) => documents.findOneAndUpdate({ _id, tenant_id, status: { $in: from } }, { $set: patch }, AFTER),
    remove: async (tenant_id, _id) => void (await documents.deleteOne({ _id, tenant_id })),
    addPassages: async (rows) => void (rows.length > 0 && (await passages.insertMany(rows))),
    passages: (document_id, version, after, limit) =>
      passages.find({ document_id, version, number: { $gt: after } }, { sort: { number: 1 }, limit }).toArray(),
    passagesWithout: (document_id, version, vectorOf, after, limit) =>
      passages
        .find(
          { document_id, version, number: { $gt: after }, is_answer: { $ne: true }, vector_of: { $ne: vectorOf } },
          { sort: { number: 1 }, limit },
        )
        .toArray(),
    async addVectors(vector_of, vectors) {
      await Promise.all(vectors.map(({ _id, vector }) => passages.updateOne({ _id }, { $set: { vector_of, vector } })));
    },
    embedded: async (tenant_id, _id, version, vectors_model) =>
      (await documents.findOneAndUpdate({ _id, tenant_id, status: 'ready', version }, { $set: { vectors_model } }, AFTER)) !== null,
    unembedded: (model, before, limit) =>
      documents
        .find({ status: 'ready', vectors_model: { $ne: model }, updated_at: { $lt: before } }, { sort: { updated_at: 1 }, limit })
        .toArray(),
    async removePassages(document_id, version) {
      const filter = { document_id, ...(version !== null && { version: { $ne: version } }) };
      for (;;) {
        const some = await passages.find(filter, { projection: { _id: 1 }, limit: REMOVED_TOGETHER }).toArray();
        if (some.length === 0) return;
        await passages.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } });
      }
    },
    async stale(before, limit) {
      const inStatus = (status: DocumentStatus): Promise<DocumentRow[]> =>
        documents.find({ status, updated_at: { $lt: before } }, { sort: { updated_at: 1 }, limit }).toArray();
      // Queries each status separately, because no index gives the oldest document across several.
      const found = await Promise.all(WORKED_ON.map(inStatus));
      return found
        .flat()
        .toSorted((a, b) => a.updated_at - b.updated_at)
        .slice(0, limit);
    },
    inUse: async (blobs) =>
      new Set((await documents.find({ blob: { $in: blobs } }, { projection: { blob: 1 } }).toArray()).flatMap(({ blob }) => blob ?? [])),
  };
}
