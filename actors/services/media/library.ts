import { Readable } from 'node:stream';
import { Refusal } from '../../../runtime/errors.ts';
import { fairSlices } from '../../../runtime/fair-slices.ts';
import { newId } from '../../../runtime/ids.ts';
import type { FileOwner, MediaBytes, MediaPage, MediaRow, MediaRows } from '../../../store/media/media.ts';
import type { OpenUploadLinks } from '../../../store/media/upload-links.ts';
import { refusal } from '../../domain/refusals.ts';
import { ByteMeter } from './byte-meter.ts';
import { describeFile } from './describe-file.ts';
import type { DirectFiles } from './direct-upload.ts';
import type { MediaQuota } from './media-quota.ts';

export const MAX_MEDIA_BYTES = 25 * 1024 * 1024;

export interface Intake {
  readonly tenantId: string;
  readonly key?: string;
  readonly source: AsyncIterable<Uint8Array>;
  readonly filename: string | null;
  readonly owner: FileOwner;
  readonly maxBytes?: number;
  /** Whether the file belongs to a received message, with which it is removed (see `giveBack`). */
  readonly lent?: boolean;
  /** Set if the file is a copy of a profile picture. The copy is kept until the picture changes. */
  readonly shows?: string;
}

/**
 * Stores the files of all tenants: rows in `media`, bytes in MediaBytes. Bytes are written before
 * their row. If a crash leaves bytes without a row, sweep.ts removes them.
 */

export interface MediaLibrary {
  /** Fails with PAYLOAD_TOO_LARGE, VALIDATION_FAILED (empty), CONFLICT (key exists), LIMIT_REACHED. */
  keep(intake: Intake, now: number): Promise<MediaRow>;
  /** Fails with LIMIT_REACHED if there is too little space. Call this before bytes are sent. */
  expectRoom(tenantId: string, size: number): Promise<void>;
  get(tenantId: string, key: string): Promise<MediaRow>;
  /** Notes that the file was sent, so it must outlive the message in which it was received. */
  use(tenantId: string, key: string): Promise<MediaRow>;
  giveBack(tenantId: string, key: string): Promise<void>;
  /** Removes copies of a profile picture, except those that we have sent. */
  dropCopies(tenantId: string, shows: string, until: number): Promise<void>;
  find(tenantId: string, key: string): Promise<MediaRow | null>;
  open(row: Pick<MediaRow, 'tenant_id' | 'blob'>): Promise<Readable>;
  list(tenantId: string, page: MediaPage, devices: readonly string[] | null): AsyncIterable<MediaRow>;
  remove(tenantId: string, key: string): Promise<void>;
  /** Removes the row last, because after a crash, only the row leads to the remaining data. */
  erase(tenantId: string, key: string): Promise<boolean>;
  closeAddresses(tenantId: string): Promise<number>;
}

const KEY = /^\w+$/;

export const newMediaKey = (now: number): string => `med_${newId(now)}`;

export interface LibraryDeps {
  readonly rows: MediaRows;
  readonly bytes: MediaBytes;
  readonly direct: DirectFiles | null;
  readonly links: Pick<OpenUploadLinks, 'remove'>;
  readonly quota: MediaQuota;
  dropDerived(tenantId: string, source: string): Promise<void>;
  now(): number;
}

export function createMediaLibrary({ rows, bytes, direct, links, quota, dropDerived, now: clock }: LibraryDeps): MediaLibrary {
  const find = async (tenantId: string, key: string): Promise<MediaRow | null> =>
    KEY.test(key) ? ((await rows.find(tenantId, key)) ?? (await direct?.adopt(tenantId, key)) ?? null) : null;

  async function get(tenantId: string, key: string): Promise<MediaRow> {
    const row = await find(tenantId, key);
    if (!row) throw refusal('NOT_FOUND');
    return row;
  }

  async function described(
    { tenantId, key, filename, owner, lent, shows }: Intake,
    blob: string,
    meter: ByteMeter,
    now: number,
  ): Promise<MediaRow> {
    const measured = meter.measured();
    if (measured.size === 0) throw refusal('VALIDATION_FAILED', { field: 'file', reason: EMPTY });
    const facts = await describeFile(measured, filename);
    const marks = { ...(lent && { lent }), ...(shows !== undefined && { shows, lent: true }) };
    return { _id: key ?? newMediaKey(now), tenant_id: tenantId, blob, ...facts, ...owner, ...marks, created_at: now };
  }

  async function removed(row: MediaRow): Promise<void> {
    await dropDerived(row.tenant_id, row._id);
    await bytes.remove(row.tenant_id, row.blob);
    await quota.giveBack(row);
  }

  /** Call this before removing a file, because its upload URL could upload it again. */
  async function closeAddressesOf(tenantId: string, key: string): Promise<void> {
    await links.remove(tenantId, key);
    await direct?.forget(tenantId, key);
  }

  async function giveBack(tenantId: string, key: string): Promise<void> {
    const row = await rows.giveBack(tenantId, key);
    if (row) await removed(row);
  }

  async function keep(intake: Intake, now: number): Promise<MediaRow> {
    const { tenantId, source, maxBytes = MAX_MEDIA_BYTES } = intake;
    if (source instanceof Readable) source.on('error', reportedWhenRead);
    const room = await quota.roomFor(tenantId, 1, maxBytes);
    // Named by the actual time instead of `now`, because the sweep compares it with the actual time.
    const blob = newId(clock());
    const meter = new ByteMeter(maxBytes, room);
    await bytes.write(tenantId, blob, meter.through(source));
    try {
      const row = await described(intake, blob, meter, now);
      await fairSlices.run(tenantId, async () => {
        await quota.take(tenantId, blob, row.size);
        await quota.storing(row, async () => {
          if (!(await rows.add(row))) throw refusal('CONFLICT', { reason: TAKEN });
        });
      });
      return row;
    } catch (cause) {
      // A refusal means that no row was stored. After any other error, a row may need the bytes.
      if (cause instanceof Refusal) await bytes.remove(tenantId, blob);
      throw cause;
    }
  }

  return {
    keep,

    expectRoom: async (tenantId, size) => void (await quota.roomFor(tenantId, size)),

    get,
    find,
    list: rows.list,

    async open({ tenant_id, blob }) {
      const stream = await bytes.read(tenant_id, blob);
      if (!stream) throw refusal('NOT_FOUND');
      return stream;
    },

    async use(tenantId, key) {
      const row = await get(tenantId, key);
      if (row.lent && !(await rows.borrow(tenantId, key))) throw refusal('NOT_FOUND');
      return row;
    },

    giveBack,

    async dropCopies(tenantId, shows, until) {
      for (const { _id } of await rows.copies(tenantId, shows, until)) await giveBack(tenantId, _id);
    },

    async remove(tenantId, key) {
      const row = await get(tenantId, key);
      await closeAddressesOf(tenantId, key);
      if (await rows.remove(tenantId, key)) await removed(row);
    },

    async erase(tenantId, key) {
      const row = await find(tenantId, key);
      if (!row) return false;
      await closeAddressesOf(tenantId, key);
      await dropDerived(tenantId, key);
      await bytes.remove(tenantId, row.blob);
      const isOurs = await rows.remove(tenantId, key);
      if (isOurs) await quota.giveBack(row);
      return isOurs;
    },

    closeAddresses: async (tenantId) => (await direct?.forgetAll(tenantId)) ?? 0,
  };
}

/** Without a handler, the error of a stream that fails before it is read would crash the process. */
const reportedWhenRead = (): void => undefined;

const EMPTY = { en: 'the file is empty', id: 'berkas kosong' };
const TAKEN = { en: 'this key is already in use', id: 'kunci ini sudah dipakai' };
