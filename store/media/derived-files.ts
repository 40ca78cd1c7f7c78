import { type Collection, type CollectionSpec, isDuplicateKey, type Store } from '../port.ts';

/** What is known of a file, as it is shown or heard. */
export interface FileNotes {
  readonly seconds?: number;
  readonly width?: number;
  readonly height?: number;
  readonly pages?: number;
  /** Of a voice note: 64 values of 0 to 100. */
  readonly waveform?: readonly number[];
  /** A JPEG of at most 100 pixels a side and 5 KB, base64. */
  readonly thumbnail?: string;
  /** Of a sticker. */
  readonly animated?: boolean;
  /** Codecs of a video's tracks; null: it has no such track. */
  readonly video?: string | null;
  readonly audio?: string | null;
  /** The table of contents of a video stands before its data. */
  readonly fastStart?: boolean;
}

/**
 * What was made of a tenant's file by a recipe, once for all messages that send it so. It goes with its source, and
 * counts to no quota.
 */
export interface DerivedRow {
  /** `der_` and 26 characters, of the source and the recipe. */
  readonly _id: string;
  readonly tenant_id: string;
  /** Key of the file that it was made of. */
  readonly source: string;
  /** Under which name its bytes lie; null: those of the source serve. */
  readonly blob: string | null;
  /** As the network names it. */
  readonly content_type: string;
  readonly size: number;
  readonly sha256: string;
  readonly notes: FileNotes;
  readonly created_at: number;
}

export interface DerivedFiles {
  /** False: there is one of this key. */
  add(row: DerivedRow): Promise<boolean>;
  find(tenantId: string, key: string): Promise<DerivedRow | null>;
  of(tenantId: string, source: string): Promise<DerivedRow[]>;
  remove(tenantId: string, key: string): Promise<void>;
  /** Which of these names of bytes have a row, of whichever tenant. */
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
