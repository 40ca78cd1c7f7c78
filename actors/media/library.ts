import type { Readable } from 'node:stream';
import { Refusal } from '../../runtime/errors.ts';
import { newId } from '../../runtime/ids.ts';
import type { MediaBytes, MediaPage, MediaRow, MediaRows } from '../../store/media.ts';
import { refusal } from '../refusals.ts';
import { describeFile } from './describe.ts';
import type { DirectFiles } from './direct.ts';
import { Meter } from './meter.ts';

/** Of an upload and of a file behind a `url` (spec.md part 8). */
export const MAX_MEDIA_BYTES = 25 * 1024 * 1024;

/** A file that comes in. */
export interface Intake {
  readonly tenantId: string;
  /** Default: a fresh one. */
  readonly key?: string;
  readonly source: AsyncIterable<Uint8Array>;
  readonly filename: string | null;
  /** Default: MAX_MEDIA_BYTES. */
  readonly maxBytes?: number;
  /** It comes with a message: see `giveBack`. */
  readonly lent?: boolean;
}

/** The files of all tenants. */
export interface MediaLibrary {
  /**
   * Stores a file, durable when it resolves; its type is read from its bytes. Refuses PAYLOAD_TOO_LARGE, VALIDATION_FAILED for an empty
   * one, CONFLICT when the key is taken. What fails leaves nothing behind.
   */
  keep(intake: Intake, now: number): Promise<MediaRow>;
  /** Refuses NOT_FOUND, as does `open` when the bytes are gone. */
  get(tenantId: string, key: string): Promise<MediaRow>;
  /** As `get`, for something of ours that is to send it, now or later: it does not go any more with the message that it came with. */
  use(tenantId: string, key: string): Promise<MediaRow>;
  /** The message that it came with was deleted by its writer: it goes, unless something of ours uses it. Again is no change. */
  giveBack(tenantId: string, key: string): Promise<void>;
  find(tenantId: string, key: string): Promise<MediaRow | null>;
  open(row: Pick<MediaRow, 'tenant_id' | 'blob'>): Promise<Readable>;
  list(tenantId: string, page: MediaPage): Promise<MediaRow[]>;
  remove(tenantId: string, key: string): Promise<void>;
}

export const newMediaKey = (now: number): string => `med_${newId(now)}`;

export interface LibraryPorts {
  readonly rows: MediaRows;
  readonly bytes: MediaBytes;
  /** null: every file comes through us. */
  readonly direct: DirectFiles | null;
  now(): number;
}

export function createMediaLibrary({ rows, bytes, direct, now: clock }: LibraryPorts): MediaLibrary {
  /** A file that was uploaded to the bucket is one from the moment that somebody asks for it. */
  const find = async (tenantId: string, key: string): Promise<MediaRow | null> =>
    (await rows.find(tenantId, key)) ?? (await direct?.adopt(tenantId, key)) ?? null;

  async function get(tenantId: string, key: string): Promise<MediaRow> {
    const row = await find(tenantId, key);
    if (!row) throw refusal('NOT_FOUND');
    return row;
  }

  async function described({ tenantId, key, filename, lent }: Intake, blob: string, meter: Meter, now: number): Promise<MediaRow> {
    const measured = meter.measured();
    if (measured.size === 0) throw refusal('VALIDATION_FAILED', { reason: EMPTY });
    const facts = await describeFile(measured, filename);
    return { _id: key ?? newMediaKey(now), tenant_id: tenantId, blob, ...facts, ...(lent && { lent }), created_at: now };
  }

  return {
    async keep(intake, now) {
      const { tenantId, source, maxBytes = MAX_MEDIA_BYTES } = intake;
      // Of the moment of writing, whatever `now` says: the sweep goes by it.
      const blob = newId(clock());
      const meter = new Meter(maxBytes);
      await bytes.write(tenantId, blob, meter.through(source));
      try {
        const row = await described(intake, blob, meter, now);
        if (!(await rows.add(row))) throw refusal('CONFLICT', { reason: TAKEN });
        return row;
      } catch (cause) {
        // Of any other failure nobody knows whether the row is there: then its bytes must be.
        if (cause instanceof Refusal) await bytes.remove(tenantId, blob);
        throw cause;
      }
    },

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

    async giveBack(tenantId, key) {
      const row = await rows.giveBack(tenantId, key);
      if (row) await bytes.remove(tenantId, row.blob);
    },

    async remove(tenantId, key) {
      const { blob } = await get(tenantId, key);
      await rows.remove(tenantId, key);
      await bytes.remove(tenantId, blob);
    },
  };
}

const EMPTY = { en: 'the file is empty', id: 'berkas kosong' };
const TAKEN = { en: 'this key is in use', id: 'kunci ini sudah dipakai' };
