import { Refusal } from '../../../runtime/errors.ts';
import { newId } from '../../../runtime/ids.ts';
import type { DirectUploads, FileOwner, MediaBytes, MediaRow, MediaRows } from '../../../store/media/media.ts';
import type { PromisedUpload, PromisedUploads } from '../../../store/media/promised-uploads.ts';
import { refusal } from '../../domain/refusals.ts';
import { ByteMeter } from './byte-meter.ts';
import { describeFile } from './describe-file.ts';
import type { MediaQuota } from './media-quota.ts';
import { UPLOAD_LINK_MS } from './upload-links.ts';

export interface DirectUpload {
  readonly tenantId: string;
  readonly key: string;
  readonly filename: string;
  readonly owner: FileOwner;
  readonly size: number;
}

export interface DirectFiles {
  /** Fails with LIMIT_REACHED (no storage left) or OVERLOADED (too many open uploads). */
  promise(upload: DirectUpload, now: number): Promise<{ readonly url: string; readonly expiresAt: number }>;
  adopt(tenantId: string, key: string): Promise<MediaRow | null>;
  forget(tenantId: string, key: string): Promise<void>;
  forgetAll(tenantId: string): Promise<number>;
  settle(now: number): Promise<void>;
}

export interface DirectDeps {
  readonly rows: MediaRows;
  readonly bytes: MediaBytes;
  readonly direct: DirectUploads;
  readonly uploads: PromisedUploads;
  readonly quota: Pick<MediaQuota, 'roomFor' | 'take' | 'storing' | 'keepPromise' | 'endPromise'>;
  now(): number;
}

const MAX_OPEN = 1_000;
const SETTLED_TOGETHER = 10_000;
/** A PUT that begins before its URL expires may finish this much later. */
const GRACE_MS = 5 * 60_000;

/** Uploads go directly to the bucket. Their URL stays valid, so each is copied first and deleted last. */
export function createDirectFiles({ rows, bytes, direct, uploads, quota, now }: DirectDeps): DirectFiles {
  async function measured({ _id, tenant_id, filename, size, owner }: PromisedUpload, blob: string): Promise<MediaRow | null> {
    const source = await bytes.read(tenant_id, blob);
    if (!source) return null;
    const meter = new ByteMeter();
    for await (const chunk of source) meter.add(chunk);
    const file = await describeFile(meter.measured(), filename);
    return file.size === size ? { _id, tenant_id, blob, ...file, ...owner, created_at: now() } : null;
  }

  async function added(row: MediaRow): Promise<boolean> {
    if (await quota.keepPromise(row.tenant_id, row._id)) return rows.add(row);
    try {
      await quota.take(row.tenant_id, row.blob, row.size);
      await quota.storing(row, async () => {
        if (!(await rows.add(row))) throw refusal('CONFLICT', { reason: THERE_ALREADY });
      });
      return true;
    } catch (cause) {
      if (cause instanceof Refusal) return false;
      throw cause;
    }
  }

  async function forget(upload: PromisedUpload): Promise<void> {
    const { _id, tenant_id } = upload;
    await direct.forget(tenant_id, upload.upload);
    await quota.endPromise(upload, (await rows.find(tenant_id, _id)) !== null);
    await uploads.remove(_id);
  }

  async function adopted(upload: PromisedUpload): Promise<boolean> {
    const blob = newId(now());
    if (!(await direct.adopt(upload.tenant_id, upload.upload, blob))) return false;
    const row = await measured(upload, blob);
    if (row === null || !(await added(row))) await bytes.remove(upload.tenant_id, blob);
    await forget(upload);
    return true;
  }

  const adopting = new Map<string, Promise<boolean>>();

  function adoptOnce(upload: PromisedUpload): Promise<boolean> {
    const begun = adopting.get(upload._id) ?? adopted(upload).finally(() => adopting.delete(upload._id));
    adopting.set(upload._id, begun);
    return begun;
  }

  async function settleOne(upload: PromisedUpload): Promise<void> {
    if (!(await adoptOnce(upload))) await forget(upload);
  }

  async function settleAll(until: number): Promise<void> {
    for (;;) {
      const expired = await uploads.expired(until, SETTLED_TOGETHER);
      const failures: unknown[] = [];
      for (const upload of inTurns(expired)) await settleOne(upload).catch((cause: unknown) => failures.push(cause));
      if (failures.length === expired.length) {
        if (failures.length > 0) throw failures[0];
        return;
      }
    }
  }

  let settling: Promise<void> | null = null;

  return {
    async promise({ tenantId, key, filename, size, owner }, at) {
      if ((await uploads.count(tenantId, MAX_OPEN)) >= MAX_OPEN) throw refusal('OVERLOADED', { retryAfterMs: 60_000 });
      await quota.roomFor(tenantId, size);
      await quota.take(tenantId, key, size);
      const upload = newId(at);
      const expiresAt = at + UPLOAD_LINK_MS;
      await uploads.add({ _id: key, tenant_id: tenantId, upload, filename, size, owner, expires_at: expiresAt });
      return { url: await direct.addressFor(tenantId, upload, size, UPLOAD_LINK_MS / 1_000), expiresAt };
    },

    async adopt(tenantId, key) {
      const upload = await uploads.find(tenantId, key);
      if (upload) await adoptOnce(upload);
      // Look for the file's row, because another process may have stored the upload in the meantime.
      return rows.find(tenantId, key);
    },

    async forget(tenantId, key) {
      const upload = await uploads.find(tenantId, key);
      if (upload) await forget(upload);
    },

    async forgetAll(tenantId) {
      const open = await uploads.of(tenantId, SETTLED_TOGETHER);
      for (const upload of open) await forget(upload);
      return open.length;
    },

    settle(at) {
      settling ??= settleAll(at - GRACE_MS).finally(() => {
        settling = null;
      });
      return settling;
    },
  };
}

function inTurns(uploads: readonly PromisedUpload[]): readonly PromisedUpload[] {
  const turns = new Map<string, number>();
  const placed = uploads.map((upload) => {
    const turn = turns.get(upload.tenant_id) ?? 0;
    turns.set(upload.tenant_id, turn + 1);
    return { turn, upload };
  });
  return placed.sort((one, other) => one.turn - other.turn).map(({ upload }) => upload);
}

const THERE_ALREADY = { en: 'the file has already been uploaded', id: 'berkas ini sudah diunggah' };
