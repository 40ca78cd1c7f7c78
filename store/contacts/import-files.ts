import type { Collection, CollectionSpec, Store } from '../port.ts';

/** A piece of a file being imported. It is kept in the store so that any node can continue. */
interface PieceRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly data: string;
  readonly expires_at: number;
}

export const PIECE_BYTES = 49_152;

export const piecesOf = (bytes: number): number => Math.ceil(bytes / PIECE_BYTES);

export interface ImportFiles {
  write(tenantId: string, importId: string, number: number, bytes: Uint8Array, now: number): Promise<void>;
  read(importId: string, offset: number, bytes: number): Promise<Buffer>;
  remove(importId: string, pieces: number): Promise<void>;
  removeWritten(tenantId: string, until: number): Promise<number>;
  count(tenantId: string, limit: number): Promise<number>;
}

const KEPT_MS = 7 * 86_400_000;

const spec: CollectionSpec = { name: 'import_files', indexes: [{ name: 'of_tenant', keys: { tenant_id: 1 } }], expires: 'expires_at' };

export function importFilesIn(store: Store): ImportFiles {
  const pieces: Collection<PieceRow> = store.collection<PieceRow>(spec);
  const key = (importId: string, number: number): string => `${importId}:${number}`;
  const piece = async (importId: string, number: number): Promise<Buffer> =>
    Buffer.from((await pieces.findOne({ _id: key(importId, number) }))?.data ?? '', 'base64');

  return {
    async write(tenant_id, importId, number, bytes, now) {
      const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
      await pieces.insertOne({ _id: key(importId, number), tenant_id, data, expires_at: now + KEPT_MS });
    },

    async read(importId, offset, bytes) {
      const skip = offset % PIECE_BYTES;
      const found: Buffer[] = [];
      for (let at = offset - skip; at < offset + bytes; at += PIECE_BYTES) found.push(await piece(importId, at / PIECE_BYTES));
      return Buffer.concat(found).subarray(skip, skip + bytes);
    },

    async remove(importId, count) {
      for (let number = 0; number < count; number += 1) await pieces.deleteOne({ _id: key(importId, number) });
    },

    async removeWritten(tenant_id, until) {
      return (await pieces.deleteMany({ tenant_id, expires_at: { $lte: until + KEPT_MS } })).deletedCount;
    },

    count: (tenant_id, limit) => pieces.countDocuments({ tenant_id }, { limit }),
  };
}
