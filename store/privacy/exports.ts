import { olderThan, type Page } from '../paging/page.ts';
import { insertPlaced, type Placed, placesIndex } from '../patterns/places.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

export interface ExportRow extends Placed {
  readonly _id: string;
  readonly tenant_id: string;
  readonly of: 'person' | 'tenant';
  readonly subject?: string;
  readonly status: 'queued' | 'running' | 'done' | 'failed';
  readonly open: boolean;
  readonly step: number;
  readonly after: string | null;
  readonly failures: number;
  readonly claimed_until: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly created_at: number;
  readonly done_at: number | null;
  readonly expires_at: number | null;
  /** Present while the export is being removed and no longer visible. The row is deleted last. */
  readonly going?: true;
}

export interface ExportFileRow {
  /** `<export>:<name>`. A file created again after a crash replaces the first one. */
  readonly _id: string;
  readonly tenant_id: string;
  readonly export_id: string;
  readonly name: string;
  /** The part of the export. A failed attempt's files are removed before the part's next attempt. */
  readonly part: string;
  readonly size: number;
  readonly sha256: string;
  readonly blob: string;
}

export type ExportStep = Pick<ExportRow, 'step' | 'after' | 'counts'>;

/** A worker's write applies only while its claim and the recorded progress are unchanged. */
export interface Exports {
  createWithin(row: ExportRow, limit: number): Promise<boolean>;
  find(tenantId: string, id: string): Promise<ExportRow | null>;
  list(tenantId: string, page: Page): AsyncIterable<ExportRow>;
  all(tenantId: string): Promise<ExportRow[]>;
  waiting(now: number): Promise<readonly string[]>;
  claim(tenantId: string, now: number, until: number): Promise<ExportRow | null>;
  renew(row: ExportRow, until: number): Promise<boolean>;
  advance(row: ExportRow, step: ExportStep, now: number): Promise<boolean>;
  release(row: ExportRow, from: number, failed: boolean): Promise<void>;
  finish(row: ExportRow, status: 'done' | 'failed', now: number, expiresAt: number): Promise<void>;
  expired(now: number, limit: number): Promise<ExportRow[]>;
  dismiss(row: Pick<ExportRow, '_id' | 'tenant_id'>, now: number): Promise<ExportRow | null>;
  remove(row: Pick<ExportRow, '_id' | 'tenant_id'>): Promise<void>;
  putFile(row: ExportFileRow): Promise<string | null>;
  files(exportId: string, part?: string): Promise<ExportFileRow[]>;
  removeFile(row: Pick<ExportFileRow, '_id' | 'blob'>): Promise<void>;
  inUse(blobs: readonly string[]): Promise<ReadonlySet<string>>;
}

export const exportsSpec: CollectionSpec = {
  name: 'privacy_exports',
  indexes: [
    placesIndex(),
    { name: 'newest', keys: { tenant_id: 1, created_at: -1, _id: -1 } },
    { name: 'open', keys: { claimed_until: 1 }, where: { open: true } },
    { name: 'open_of_tenant', keys: { tenant_id: 1, created_at: 1 }, where: { open: true } },
    { name: 'expired', keys: { expires_at: 1 }, where: { expires_at: { $gte: 0 } } },
  ],
};
const exportFilesSpec: CollectionSpec = {
  name: 'privacy_export_files',
  indexes: [
    { name: 'of_export', keys: { export_id: 1, name: 1 } },
    { name: 'of_part', keys: { export_id: 1, part: 1 } },
    { name: 'by_tenant', keys: { tenant_id: 1 } },
    { name: 'by_blob', keys: { blob: 1 } },
  ],
};

const MAX_WAITING = 10_000;
const MAX_KEPT = 1_000;

export function exportsIn(store: Store): Exports {
  const rows: Collection<ExportRow> = store.collection<ExportRow>(exportsSpec);
  const files: Collection<ExportFileRow> = store.collection<ExportFileRow>(exportFilesSpec);
  const held = ({ _id, claimed_until, step, after }: ExportRow) => ({ _id, claimed_until, step, after, open: true });

  return {
    createWithin: (row, limit) => insertPlaced(rows, row, limit),
    find: (tenant_id, _id) => rows.findOne({ _id, tenant_id, going: null }),
    list: (tenant_id, page) =>
      rows.find({ tenant_id, going: null, ...olderThan(page) }, { sort: { created_at: -1, _id: -1 }, limit: page.limit }),
    all: (tenant_id) => rows.find({ tenant_id }, { limit: MAX_KEPT }).toArray(),

    async waiting(now) {
      const open = await rows
        .find({ open: true, claimed_until: { $lte: now } }, { projection: { tenant_id: 1 }, limit: MAX_WAITING })
        .toArray();
      return [...new Set(open.map(({ tenant_id }) => tenant_id))];
    },
    claim: (tenant_id, now, claimed_until) =>
      rows.findOneAndUpdate(
        { tenant_id, open: true, claimed_until: { $lte: now } },
        { $set: { claimed_until, status: 'running' } },
        { sort: { created_at: 1 }, returnDocument: 'after' },
      ),
    renew: async (row, claimed_until) => (await rows.updateOne(held(row), { $set: { claimed_until } })).matchedCount === 1,
    advance: async (row, step, claimed_until) =>
      (await rows.updateOne(held(row), { $set: { ...step, claimed_until, failures: 0 } })).matchedCount === 1,
    release: async (row, claimed_until, failed) =>
      void (await rows.updateOne(held(row), { $set: { claimed_until }, ...(failed && { $inc: { failures: 1 } }) })),
    finish: async (row, status, done_at, expires_at) =>
      void (await rows.updateOne(held(row), {
        $set: { open: false, claimed_until: done_at, status, done_at, expires_at },
        $unset: { subject: 1 },
      })),

    expired: (now, limit) => rows.find({ expires_at: { $gte: 0, $lte: now } }, { limit }).toArray(),
    dismiss: ({ _id, tenant_id }, now) =>
      rows.findOneAndUpdate(
        { _id, tenant_id },
        { $set: { going: true, open: false, expires_at: now }, $unset: { subject: 1 } },
        { returnDocument: 'after' },
      ),
    remove: async ({ _id, tenant_id }) => void (await rows.deleteOne({ _id, tenant_id, going: true })),

    async putFile({ _id, ...fields }) {
      const before = await files.findOneAndUpdate({ _id }, { $set: fields }, { upsert: true, returnDocument: 'before' });
      return before?.blob ?? null;
    },
    files: (export_id, part) => files.find({ export_id, ...(part !== undefined && { part }) }, { sort: { name: 1 } }).toArray(),
    removeFile: async ({ _id, blob }) => void (await files.deleteOne({ _id, blob })),
    inUse: async (blobs) =>
      new Set((await files.find({ blob: { $in: blobs } }, { projection: { blob: 1 } }).toArray()).map(({ blob }) => blob)),
  };
}
