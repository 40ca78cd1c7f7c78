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

/** Of an upload and of a file behind a `url`. */
export const MAX_MEDIA_BYTES = 25 * 1024 * 1024;

/** A file that comes in. */
export interface Intake {
  readonly tenantId: string;
  /** Default: a fresh one. */
  readonly key?: string;
  readonly source: AsyncIterable<Uint8Array>;
  readonly filename: string | null;
  readonly owner: FileOwner;
  /** Default: MAX_MEDIA_BYTES. */
  readonly maxBytes?: number;
  /** It comes with a message: see `giveBack`. */
  readonly lent?: boolean;
  /** It is a copy of the picture that somebody shows, until they show another: see MediaRow. */
  readonly shows?: string;
}

/** The files of all tenants. */
export interface MediaLibrary {
  /**
   * Stores a file, durable when it resolves; its type is read from its bytes. Refuses PAYLOAD_TOO_LARGE, VALIDATION_FAILED for an empty
   * one, CONFLICT when the key is taken, LIMIT_REACHED when the tenant's plan has no room for it. What fails leaves
   * nothing behind.
   */
  keep(intake: Intake, now: number): Promise<MediaRow>;
  /** Refuses LIMIT_REACHED when the tenant's plan has no room for `size` bytes more: before they are sent. */
  expectRoom(tenantId: string, size: number): Promise<void>;
  /** Refuses NOT_FOUND, as does `open` when the bytes are gone. */
  get(tenantId: string, key: string): Promise<MediaRow>;
  /** As `get`, for something of ours that is to send it, now or later: it does not go any more with the message that it came with. */
  use(tenantId: string, key: string): Promise<MediaRow>;
  /** The message that it came with was deleted by its writer: it goes, unless something of ours uses it. Again is no change. */
  giveBack(tenantId: string, key: string): Promise<void>;
  /** Somebody shows another picture, or none: earlier copies go, but for those that something of ours uses. */
  dropCopies(tenantId: string, shows: string, until: number): Promise<void>;
  find(tenantId: string, key: string): Promise<MediaRow | null>;
  open(row: Pick<MediaRow, 'tenant_id' | 'blob'>): Promise<Readable>;
  /** Those that one of `devices` may use (null: all), newest first. */
  list(tenantId: string, page: MediaPage, devices: readonly string[] | null): AsyncIterable<MediaRow>;
  remove(tenantId: string, key: string): Promise<void>;
  /**
   * Removes a file, its bytes first and its record last: a process that dies in between leaves the record, by which the next one finds the
   * rest. False: there was none.
   */
  erase(tenantId: string, key: string): Promise<boolean>;
  /** Nothing comes any more through the bucket's addresses of a tenant, of which it gives how many there were. */
  closeAddresses(tenantId: string): Promise<number>;
}

/** No other text can name a file: none is looked for, in the store or in a bucket. */
const KEY = /^\w+$/;

export const newMediaKey = (now: number): string => `med_${newId(now)}`;

export interface LibraryDeps {
  readonly rows: MediaRows;
  readonly bytes: MediaBytes;
  /** null: every file comes through us. */
  readonly direct: DirectFiles | null;
  readonly links: Pick<OpenUploadLinks, 'remove'>;
  readonly quota: MediaQuota;
  /** Removes what was made of a file. */
  dropDerived(tenantId: string, source: string): Promise<void>;
  now(): number;
}

export function createMediaLibrary({ rows, bytes, direct, links, quota, dropDerived, now: clock }: LibraryDeps): MediaLibrary {
  /** A file that was uploaded to the bucket exists from its first use. */
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

  /** Before a file goes: it must not come back through the address that it came by. */
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
    // The time of writing, regardless of `now`: the sweep uses it.
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
      // After any other failure it is unknown whether the row is stored: then its bytes must be.
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

/** A stream that fails before its first byte is read would otherwise end the process. */
const reportedWhenRead = (): void => undefined;

const EMPTY = { en: 'the file is empty', id: 'berkas kosong' };
const TAKEN = { en: 'this key is already in use', id: 'kunci ini sudah dipakai' };
