import { Refusal } from '../../../runtime/errors.ts';
import type { MediaRow } from '../../../store/media/media.ts';
import type { MediaUsage } from '../../../store/media/media-usage.ts';
import { refusal } from '../../domain/refusals.ts';

/**
 * The reservation of bytes for a file that has no row yet. Reservations are counted in
 * `media_usage`.
 */

type Promised = Pick<MediaRow, '_id' | 'tenant_id' | 'size'>;
type File = Pick<MediaRow, 'tenant_id' | 'blob' | 'size'>;

export interface MediaQuota {
  /** Returns the remaining bytes (exact up to `most`). LIMIT_REACHED if fewer than `size` remain. */
  roomFor(tenantId: string, size: number, most?: number): Promise<number>;
  take(tenantId: string, name: string, size: number): Promise<void>;
  /** Calls `add`, which must store the row. If `add` is refused, the reservation is released. */
  storing(file: File, add: () => Promise<void>): Promise<void>;
  giveBack(file: File): Promise<void>;
  keepPromise(tenantId: string, key: string): Promise<boolean>;
  /** Ends a reservation. Idempotent. */
  endPromise(promised: Promised, hasRow: boolean): Promise<void>;
}

export interface QuotaDeps {
  readonly usage: MediaUsage;
  limitOf(tenantId: string): Promise<number>;
  now(): number;
}

/** Minimum time between recounts of full storage, which find the reservations of dead processes. */
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
        // After an error other than a refusal, the row may exist. A recount corrects the figures.
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

function full(limit: number): Refusal {
  const size = limit >= GB ? `${Number((limit / GB).toFixed(1))} GB` : `${limit} bytes`;
  return refusal('LIMIT_REACHED', {
    reason: {
      en: `the plan includes ${size} of file storage: delete some files first`,
      id: `paket menyediakan ${size} penyimpanan berkas: hapus beberapa berkas dahulu`,
    },
  });
}
