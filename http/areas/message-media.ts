import type { MediaLibrary } from '../../actors/media/library.ts';
import { fits, type MediaType } from '../../actors/media/types.ts';
import { refusal } from '../../actors/refusals.ts';
import type { SendOrder } from '../../actors/sending.ts';
import type { MediaRow } from '../../store/media.ts';
import type { SendBody } from './message-schemas.ts';

export interface AttachingWorld {
  readonly media: Pick<MediaLibrary, 'get'>;
}

type Attached = Required<Pick<SendOrder, 'media_r2_key' | 'body' | 'parts'>>;

/** The file of a message to be sent: what its order says of it. Refuses NOT_FOUND for an unknown key, VALIDATION_FAILED when the type cannot carry it. */
export async function attach({ media }: AttachingWorld, tenantId: string, type: MediaType, body: SendBody): Promise<Attached> {
  if (body.media_r2_key === undefined) throw wrong(KEY_NEEDED);
  const row = await media.get(tenantId, body.media_r2_key);
  if (!fits(type, row.content_type)) throw wrong(unfit(type, row.content_type));
  return { media_r2_key: row._id, body: body.caption ?? null, parts: { media: factsOf(row, body) } };
}

function factsOf({ content_type, filename, size, sha256 }: MediaRow, body: SendBody): NonNullable<SendOrder['parts']['media']> {
  const name = body.filename ?? filename;
  return { content_type, filename: name, size, sha256, ...(body.voice_note && body.type === 'audio' && { voice_note: true }) };
}

type Reason = { readonly en: string; readonly id: string };

const wrong = (reason: Reason) => refusal('VALIDATION_FAILED', { reason });

const KEY_NEEDED: Reason = { en: 'media_r2_key is required for this type', id: 'media_r2_key wajib diisi untuk tipe ini' };

const unfit = (type: string, contentType: string): Reason => ({
  en: `media_r2_key is ${contentType}, which is not ${type}`,
  id: `media_r2_key adalah ${contentType}, bukan ${type}`,
});
