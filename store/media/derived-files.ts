import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

export interface FileNotes {
  readonly seconds?: number;
  readonly width?: number;
  readonly height?: number;
  readonly pages?: number;
  /** 64 values from 0 to 100. */
  readonly waveform?: readonly number[];
  /** A JPEG of at most 100 × 100 pixels and 5 KB, in base64. */
  readonly thumbnail?: string;
  readonly animated?: boolean;
  readonly video?: string | null;
  readonly audio?: string | null;
  readonly fastStart?: boolean;
}

/** A converted file. It is removed with its source and does not count towards a quota. */
export interface DerivedRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly source: string;
  /** Null if the bytes are the same as the source's. */
  readonly blob: string | null;
  readonly content_type: string;
  readonly size: number;
  readonly sha256: string;
  readonly notes: FileNotes;
  readonly created_at: number;
}

export interface DerivedFiles {
  add(row: DerivedRow): Promise<boolean>;
  find(tenantId: string, key: string): Promise<DerivedRow | null>;
  of(tenantId: string, source: string): Promise<DerivedRow[]>;
  remove(tenantId: string, key: string): Promise<void>;
  inUse(blobs: readonly string[]): Promise<ReadonlySet<string>>;
}

const derivedSpec: CollectionSpec = {
  name: 'derived_files',
  indexes: [
    { name: 'by_source', keys: { tenant_id: 1, source: 1 } },
    { name: 'by_blob', keys: { blob: 1 } },
  ],
};

export function derivedFilesIn(store: Store): DerivedFiles {
  const files: Collection<DerivedRow> = store.collection<DerivedRow>(derivedSpec);
  return {
    async add(row) {
      try {
        await files.insertOne(row);
        return true;
      } catch (cause) {
        if (!isDuplicateKey(cause)) throw cause;
        return false;
      }
    },
    find: (tenant_id, _id) => files.findOne({ _id, tenant_id }),
    of: (tenant_id, source) => files.find({ tenant_id, source }).toArray(),
    remove: async (tenant_id, _id) => void (await files.deleteOne({ _id, tenant_id })),
    async inUse(blobs) {
      const found = await files.find({ blob: { $in: blobs } }, { projection: { blob: 1 } }).toArray();
      return new Set(found.flatMap(({ blob }) => (blob === null ? [] : [blob])));
    },
  };
}
