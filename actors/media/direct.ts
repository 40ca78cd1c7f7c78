import { newId } from '../../runtime/ids.ts';
import type { DirectUploads, MediaBytes, MediaRow, MediaRows } from '../../store/media.ts';
import type { PromisedUpload, PromisedUploads } from '../../store/promised-uploads.ts';
import { describeFile } from './describe.ts';
import { Meter } from './meter.ts';
import { UPLOAD_LINK_MS } from './upload-links.ts';

/** What somebody is about to upload. `key` is the one that the file will have. */
export interface DirectUpload {
  readonly tenantId: string;
  readonly key: string;
  readonly filename: string;
  readonly size: number;
}

/** Files that come to the bucket without passing through us. */
export interface DirectFiles {
  /** The address to PUT the file to until `expiresAt`. */
  promise(upload: DirectUpload, now: number): Promise<{ readonly url: string; readonly expiresAt: number }>;
  /** Makes a file of what was uploaded under a key; null: nothing was, or nothing was promised. Idempotent. */
  adopt(tenantId: string, key: string): Promise<MediaRow | null>;
  /** Adopts what nobody asked for before its address expired, and forgets addresses that were never used. */
  settle(now: number): Promise<void>;
}

export interface DirectPorts {
  readonly rows: MediaRows;
  readonly bytes: MediaBytes;
  readonly direct: DirectUploads;
  readonly uploads: PromisedUploads;
  now(): number;
}

const SETTLED_TOGETHER = 50;
/** A PUT that began in time may end later. */
const GRACE_MS = 5 * 60_000;

/**
 * An address stays good until it expires, so what it wrote may still change: a file is a copy of it, measured itself. Its bytes are there
 * before its row, and what was uploaded goes last, so that a crash only repeats.
 */
export function createDirectFiles({ rows, bytes, direct, uploads, now }: DirectPorts): DirectFiles {
  async function measured({ _id, tenant_id, filename, size }: PromisedUpload, blob: string): Promise<MediaRow | null> {
    const source = await bytes.read(tenant_id, blob);
    if (!source) return null;
    const meter = new Meter();
    for await (const chunk of source) meter.add(chunk);
    const file = await describeFile(meter.measured(), filename);
    return file.size === size ? { _id, tenant_id, blob, ...file, created_at: now() } : null;
  }

  async function forget({ _id, tenant_id, upload }: PromisedUpload): Promise<void> {
    await direct.forget(tenant_id, upload);
    await uploads.remove(_id);
  }

  async function adoptUpload(upload: PromisedUpload): Promise<MediaRow | null> {
    const blob = newId(now());
    if (!(await direct.adopt(upload.tenant_id, upload.upload, blob))) return null;
    const row = await measured(upload, blob);
    if (row === null || !(await rows.add(row))) await bytes.remove(upload.tenant_id, blob);
    await forget(upload);
    return rows.find(upload.tenant_id, upload._id);
  }

  return {
    async promise({ tenantId, key, filename, size }, at) {
      const upload = newId(at);
      const expiresAt = at + UPLOAD_LINK_MS;
      await uploads.add({ _id: key, tenant_id: tenantId, upload, filename, size, expires_at: expiresAt });
      return { url: await direct.addressFor(tenantId, upload, size, UPLOAD_LINK_MS / 1_000), expiresAt };
    },

    async adopt(tenantId, key) {
      const upload = await uploads.find(tenantId, key);
      return upload && adoptUpload(upload);
    },

    async settle(at) {
      for (const upload of await uploads.expired(at - GRACE_MS, SETTLED_TOGETHER)) if (!(await adoptUpload(upload))) await forget(upload);
    },
  };
}
