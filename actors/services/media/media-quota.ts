import { Refusal } from '../../../runtime/errors.ts';
import type { MediaRow } from '../../../store/media/media.ts';
import type { MediaUsage } from '../../../store/media/media-usage.ts';
import { refusal } from '../../domain/refusals.ts';

type Promised = Pick<MediaRow, '_id' | 'tenant_id' | 'size'>;
type File = Pick<MediaRow, 'tenant_id' | 'blob' | 'size'>;

/** The bytes of files that a tenant's plan allows. */
export interface MediaQuota {
  /** How many bytes are left; `most` are of interest. Refuses LIMIT_REACHED when that is fewer than `size`. */
  roomFor(tenantId: string, size: number, most?: number): Promise<number>;
  /** Counts bytes that have no row yet. Refuses LIMIT_REACHED: nothing is counted. */
  take(tenantId: string, name: string, size: number): Promise<void>;
  /** Gives the bytes their row; when `add` refuses, they are not counted any more. */
  storing(file: File, add: () => Promise<void>): Promise<void>;
  giveBack(file: File): Promise<void>;
  /** Bytes that were taken under the key of a file stay so until it has its row; false: they are not counted under it any more. */
  keepPromise(tenantId: string, key: string): Promise<boolean>;
  /** Nobody waits any more for the file of this key: its bytes are those of its row, or go. Again is no change. */
  endPromise(promised: Promised, hasRow: boolean): Promise<void>;
}

export interface QuotaDeps {
  readonly usage: MediaUsage;
  /** The plan's bytes. */
  limitOf(tenantId: string): Promise<number>;
  now(): number;
}

/** What is full may be so by what a process left that died: it is counted anew, not more often than this. */
const RECOUNT_MS = 600_000;

export function createMediaQuota({ usage, limitOf, now }: QuotaDeps): MediaQuota {
  const recounted = new Map<string, number>();

  async function roomNow(tenantId: string, limit: number, most: number): Promise<number> {
    const room = limit - (await usage.bytes(tenantId));
    if (room >= most || Math.abs(now() - (recounted.get(tenantId) ?? Number.NEGATIVE_INFINITY)) < RECOUNT_MS) return room;
    recounted.set(tenantId, now());
    await usage.recount(tenantId, now());
    return limit - (await usage.bytes(tenantId));
  }

  return {
    async roomFor(tenantId, size, most = size) {
      const limit = await limitOf(tenantId);
      const room = await roomNow(tenantId, limit, most);
      if (room < size) throw full(limit);
      return room;
    },

    async take(tenantId, name, size) {
      const limit = await limitOf(tenantId);
      if (!(await usage.reserve(tenantId, name, size, limit, now()))) throw full(limit);
    },

    async storing(file, add) {
      try {
        await add();
      } catch (cause) {
        // Of any other failure nobody knows whether the row is there: a later count says.
        if (cause instanceof Refusal) await usage.release(file.tenant_id, file.blob, file.size);
        throw cause;
      }
      await usage.stored(file.tenant_id, file.blob);
    },

    giveBack: ({ tenant_id, blob, size }) => usage.release(tenant_id, blob, size),

    keepPromise: (tenantId, key) => usage.renew(tenantId, key, now()),
    endPromise: ({ _id, tenant_id, size }, hasRow) => (hasRow ? usage.stored(tenant_id, _id) : usage.cancel(tenant_id, _id, size)),
  };
}

const GB = 1_000_000_000;

/** LIMIT_REACHED by the bytes of files that a plan allows. */
function full(limit: number): Refusal {
  const size = limit >= GB ? `${Number((limit / GB).toFixed(1))} GB` : `${limit} bytes`;
  return refusal('LIMIT_REACHED', {
    reason: {
      en: `the plan includes ${size} of files: delete some first`,
      id: `paket menyediakan ${size} untuk berkas: hapus sebagian dahulu`,
    },
  });
}
