import { invalidField } from '../../../actors/domain/refusals.ts';
import { MAX_TENANT_DOWNLOADS, type MediaFetcher } from '../../../actors/services/media/fetcher.ts';
import { type FileAccess, type FileViewer, ownerOf } from '../../../actors/services/media/file-access.ts';
import type { FileWarning } from '../../../actors/services/media/file-warnings.ts';
import type { MediaLibrary } from '../../../actors/services/media/library.ts';
import { type FileWish, notAPicture, type PreparedFiles } from '../../../actors/services/media/prepared-files.ts';
import { fits, isMediaType, type MediaType } from '../../../actors/services/media/types.ts';
import type { SendOrder } from '../../../actors/services/messaging/sending.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { FairSlots } from '../../../runtime/fair-slots.ts';
import type { MediaRow } from '../../../store/media/media.ts';
import { hasText } from '../../../store/messaging/message-row.ts';
import { ignoredIn } from './checks.ts';
import type { SendBody } from './schemas.ts';

export interface AttachingServices {
  readonly media: Pick<MediaLibrary, 'keep' | 'remove'> & Pick<PreparedFiles, 'prepare' | 'previewPicture'>;
  readonly files: Pick<FileAccess, 'use'>;
  readonly fetcher: MediaFetcher;
}

/** Limits a call's parallel downloads and conversions to the number that one tenant may run at once. */
export function withBoundedFiles<S extends AttachingServices>(services: S): S {
  const slots = new FairSlots({ slots: MAX_TENANT_DOWNLOADS, share: MAX_TENANT_DOWNLOADS });
  const preparing = new FairSlots({ slots: MAX_TENANT_DOWNLOADS, share: MAX_TENANT_DOWNLOADS });
  const { files, fetcher, media } = services;
  return {
    ...services,
    media: { ...media, prepare: (row, wish) => preparing.run('', () => media.prepare(row, wish)) },
    files: { ...files, use: (viewer, key) => slots.run('', () => files.use(viewer, key)) },
    fetcher: { fetch: (tenantId, url, take) => slots.run('', () => fetcher.fetch(tenantId, url, take)) },
  };
}

type Attached = Required<Pick<SendOrder, 'media_r2_key' | 'message_type' | 'body' | 'parts'>> & {
  readonly warnings: readonly FileWarning[];
};

/** Fails with NOT_FOUND, VALIDATION_FAILED (unsuitable file) or any MediaFetcher error. */
export async function attach(services: AttachingServices, viewer: FileViewer, body: SendBody, now: number): Promise<Attached> {
  const { media } = services;
  const { type } = body;
  const row = await fileOf(services, viewer, body, now);
  try {
    if (!isMediaType(type) || !fits(type, row.content_type)) throw unfit(type, row);
    const { type: message_type, media: facts, warnings } = await media.prepare(row, wishOf(type, body));
    const text = (hasText(type) ? body.caption : null) ?? null;
    return { media_r2_key: row._id, message_type, body: text, parts: { media: facts }, warnings };
  } catch (cause) {
    if (cause instanceof Refusal && body.media_r2_key === undefined) await media.remove(viewer.tenantId, row._id).catch(() => {});
    throw cause;
  }
}

const wishOf = (type: MediaType, body: SendBody): FileWish => {
  const ignored = Object.fromEntries(ignoredIn(body).map((field) => [field, undefined]));
  const { filename, voice_note: voiceNote, convert, gif, round, view_once: viewOnce, hd, sticker }: SendBody = { ...body, ...ignored };
  return { type, filename, voiceNote, convert, gif, round, viewOnce, hd, sticker };
};

interface Carrying<T> {
  readonly tenantId: string;
  readonly body: Pick<SendBody, 'url'>;
  readonly key: string | null | undefined;
  /**
   * File key of the stored message. It differs from `key` if an earlier call stored the message.
   */
  keyOf(stored: T): string | null | undefined | Promise<string | undefined>;
}

/** Removes a downloaded file if the message is refused or was already stored with another file. */
export async function withItsFile<T>(
  { media }: AttachingServices,
  { tenantId, body, key, keyOf }: Carrying<T>,
  storing: Promise<T>,
): Promise<T> {
  if (body.url === undefined || !key) return storing;
  const stored = await storing.catch(async (cause) => {
    // After any other failure, the message may have been stored, so its file is kept.
    if (cause instanceof Refusal) await media.remove(tenantId, key);
    throw cause;
  });
  const dropped = async () => (await keyOf(stored)) === key || media.remove(tenantId, key);
  // A failed cleanup must not look like a failed send. Otherwise the caller would send again.
  await dropped().catch(() => {});
  return stored;
}

export async function fileOf(
  { media, files, fetcher }: AttachingServices,
  viewer: FileViewer,
  body: NamedFile,
  now: number,
): Promise<MediaRow> {
  const { media_r2_key: key, url, filename } = body;
  if (key !== undefined && url !== undefined) throw invalidField('url', ONE_FILE);
  if (key !== undefined) return files.use(viewer, key);
  if (url === undefined) throw invalidField('media_r2_key', FILE_NEEDED);
  const kept = { tenantId: viewer.tenantId, owner: ownerOf(viewer) };
  return fetcher.fetch(viewer.tenantId, url, (file) =>
    media.keep({ ...kept, source: file.source, filename: filename ?? file.filename }, now),
  );
}

type NamedFile = Pick<SendBody, 'media_r2_key' | 'url' | 'filename'>;

type Reason = { readonly en: string; readonly id: string };

const FILE_NEEDED: Reason = {
  en: 'media_r2_key or url is required for this type',
  id: 'media_r2_key atau url wajib diisi untuk tipe ini',
};

const ONE_FILE: Reason = {
  en: 'media_r2_key and url each name a file; send only one of them',
  id: 'media_r2_key dan url masing-masing menunjuk berkas; kirim salah satu saja',
};

function unfit(type: string, row: MediaRow): Error {
  if (type === 'image' || type === 'sticker') return notAPicture('media_r2_key', row, 'unreadable');
  return invalidField('media_r2_key', {
    en: `the file is ${row.content_type}, which is not ${type}`,
    id: `jenis berkas ini ${row.content_type}, bukan ${type}`,
  });
}
