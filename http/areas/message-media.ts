import type { MediaFetcher } from '../../actors/media/fetcher.ts';
import type { MediaLibrary } from '../../actors/media/library.ts';
import { fits, isMediaType } from '../../actors/media/types.ts';
import { refusal } from '../../actors/refusals.ts';
import type { SendOrder } from '../../actors/sending.ts';
import type { MediaRow } from '../../store/media.ts';
import type { SendBody } from './message-schemas.ts';

export interface AttachingWorld {
  readonly media: Pick<MediaLibrary, 'use' | 'keep' | 'remove'>;
  readonly fetcher: MediaFetcher;
}

type Attached = Required<Pick<SendOrder, 'media_r2_key' | 'body' | 'parts'>>;

/**
 * The file of a message to be sent, stored before the message: what its order says of it. Refuses NOT_FOUND for an unknown key,
 * VALIDATION_FAILED when the type cannot carry it, and as a download does (MediaFetcher).
 */
export async function attach(world: AttachingWorld, tenantId: string, body: SendBody, now: number): Promise<Attached> {
  const { media } = world;
  const { type } = body;
  const row = await fileOf(world, tenantId, body, now);
  if (!isMediaType(type) || !fits(type, row.content_type)) {
    if (body.media_r2_key === undefined) await media.remove(tenantId, row._id);
    throw wrong(unfit(type, row.content_type));
  }
  return { media_r2_key: row._id, body: body.caption ?? null, parts: { media: factsOf(row, body) } };
}

async function fileOf({ media, fetcher }: AttachingWorld, tenantId: string, body: SendBody, now: number): Promise<MediaRow> {
  const { media_r2_key: key, url, filename } = body;
  if (key !== undefined && url !== undefined) throw wrong(ONE_FILE);
  if (key !== undefined) return media.use(tenantId, key);
  if (url === undefined) throw wrong(FILE_NEEDED);
  return fetcher.fetch(url, (file) => media.keep({ tenantId, source: file.source, filename: filename ?? file.filename }, now));
}

function factsOf({ content_type, filename, size, sha256 }: MediaRow, body: SendBody): NonNullable<SendOrder['parts']['media']> {
  const name = body.filename ?? filename;
  return { content_type, filename: name, size, sha256, ...(body.voice_note && body.type === 'audio' && { voice_note: true }) };
}

type Reason = { readonly en: string; readonly id: string };

const wrong = (reason: Reason) => refusal('VALIDATION_FAILED', { reason });

const FILE_NEEDED: Reason = {
  en: 'media_r2_key or url is required for this type',
  id: 'media_r2_key atau url wajib diisi untuk tipe ini',
};

const ONE_FILE: Reason = {
  en: 'media_r2_key and url name a file each: give one of them',
  id: 'media_r2_key dan url masing-masing menunjuk berkas: berikan salah satu saja',
};

const unfit = (type: string, contentType: string): Reason => ({
  en: `the file is ${contentType}, which is not ${type}`,
  id: `berkas adalah ${contentType}, bukan ${type}`,
});
