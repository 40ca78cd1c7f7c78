import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { MOST_BYTES } from '../../../runtime/cluster/envelope.ts';
import type { DerivedRow, FileNotes } from '../../../store/media/derived-files.ts';
import type { MediaRow, MediaRows } from '../../../store/media/media.ts';
import type { MediaFacts } from '../../../store/messaging/messages.ts';
import { invalidField } from '../../domain/refusals.ts';
import { defined, type Recipe } from './convert/recipes.ts';
import { Unconvertible } from './convert/unconvertible.ts';
import type { DerivedLibrary } from './derived-library.ts';
import { type FileWarning, GIF_STANDS_STILL, THUMBNAIL_UNAVAILABLE, VOICE_NOT_CONVERTED } from './file-warnings.ts';
import { MAX_MEDIA_BYTES } from './library.ts';
import { PREVIEW_SIDE } from './previews/link-previews.ts';
import { fits, type MediaType } from './types.ts';

/**
 * Converts files into forms that the network and people's apps accept. If a conversion fails, the
 * type of the message decides whether this leads to a warning or a refusal. The result is stored in
 * the message, so that a resend sends the same file.
 */

export interface PreparedFiles {
  /** Fails with VALIDATION_FAILED (wrong file for the message type), OVERLOADED or NOT_FOUND. */
  prepare(row: MediaRow, wish: FileWish): Promise<PreparedFile>;
  /** Makes a JPEG of 640 × 640. Fails with VALIDATION_FAILED for `field` if that is not possible. */
  avatar(row: MediaRow, field: string): Promise<Buffer>;
  /** Returns the picture for a link preview in base64. Fails like `prepare`. */
  previewPicture(row: MediaRow): Promise<string>;
  noted(row: MediaRow): Promise<MediaRow>;
}

export interface FileWish {
  readonly type: MediaType;
  readonly filename?: string | undefined;
  readonly voiceNote?: boolean | undefined;
  readonly convert?: boolean | undefined;
  readonly gif?: boolean | undefined;
  readonly round?: boolean | undefined;
  readonly viewOnce?: boolean | undefined;
  readonly hd?: boolean | undefined;
  readonly sticker?: StickerWish | undefined;
}

export interface StickerWish {
  readonly pack?: string;
  readonly publisher?: string;
  readonly emojis?: readonly string[];
}

export interface PreparedFile {
  readonly type: MediaType;
  readonly media: MediaFacts;
  readonly warnings: readonly FileWarning[];
}

export interface PreparedDeps {
  readonly derived: Pick<DerivedLibrary, 'derive' | 'open'>;
  nameOf(tenantId: string): Promise<string>;
  readonly rows: Pick<MediaRows, 'note'>;
}

const NAMES: Readonly<Record<string, string>> = { 'audio/x-m4a': 'audio/mp4', 'video/x-m4v': 'video/mp4' };
const VOICE_FORM = 'audio/ogg; codecs=opus';
const TELLING = /^(audio|video|image)\/|^application\/(pdf|ogg)$/;
export const MAX_AVATAR_BYTES = 10 * 1024 * 1024;
/** If the picture were larger, it could not be sent to a device on another node. */
const MAX_READY_BYTES = MOST_BYTES;
const SIDE = 1_600;
const HD_SIDE = 2_560;
const MAX_SECONDS = 3_600;

interface Made {
  readonly row: DerivedRow | null;
  readonly warnings: readonly FileWarning[];
}

export function createPreparedFiles({ derived, rows, nameOf }: PreparedDeps): PreparedFiles {
  async function notesOf(row: MediaRow): Promise<FileNotes | null> {
    if (row.notes) return row.notes;
    if (!TELLING.test(row.content_type) || row.size > MAX_MEDIA_BYTES) return null;
    try {
      return (await derived.derive(row, { make: 'facts' })).notes;
    } catch {
      return null;
    }
  }

  async function tried(row: MediaRow, recipe: Recipe): Promise<DerivedRow | Unconvertible['reason']> {
    try {
      return await derived.derive(row, recipe);
    } catch (cause) {
      if (cause instanceof Unconvertible) return cause.reason;
      throw cause;
    }
  }

  async function voiceNote(row: MediaRow, { convert = true }: FileWish): Promise<Made> {
    const made = await tried(row, { make: 'voice' });
    if (made === 'too_long') throw invalidField('media_r2_key', TOO_LONG);
    if (!convert && (typeof made === 'string' || made.blob !== null)) throw invalidField('convert', NOT_THE_FORM);
    return typeof made === 'string' ? { row: null, warnings: [VOICE_NOT_CONVERTED] } : { row: made, warnings: [] };
  }

  async function audio(row: MediaRow, wish: FileWish): Promise<PreparedFile> {
    const note = wish.voiceNote ? await voiceNote(row, wish) : null;
    if (note?.row) return { type: 'audio', media: { ...factsOf(row, wish, note.row), voice_note: true }, warnings: [] };
    const notes = await notesOf(row);
    if ((notes?.seconds ?? 0) > MAX_SECONDS) throw invalidField('media_r2_key', TOO_LONG);
    return { type: 'audio', media: { ...factsOf(row, wish, null), ...shown(notes ?? {}) }, warnings: note?.warnings ?? [] };
  }

  async function image(row: MediaRow, wish: FileWish): Promise<PreparedFile> {
    const isGif = row.content_type === 'image/gif';
    const loop = isGif ? await tried(row, { make: 'video', isLoop: true }) : null;
    if (loop && typeof loop !== 'string') return { type: 'video', media: { ...factsOf(row, wish, loop), gif: true }, warnings: [] };
    const made = await tried(row, { make: 'image', maxSide: wish.hd ? HD_SIDE : SIDE });
    if (typeof made === 'string') return undecoded(row, wish, made);
    const media = { ...factsOf(row, wish, made), ...(wish.hd && { hd: true as const }) };
    return { type: 'image', media, warnings: isGif ? [GIF_STANDS_STILL] : [] };
  }

  async function sticker(row: MediaRow, wish: FileWish): Promise<PreparedFile> {
    const publisher = wish.sticker?.publisher ?? (await nameOf(row.tenant_id));
    const name = wish.sticker?.pack ?? publisher;
    const pack = { id: idOfPack(publisher, name), name, publisher, emojis: wish.sticker?.emojis ?? [] };
    const made = await tried(row, { make: 'sticker', pack, isAsked: wish.sticker !== undefined });
    if (typeof made === 'string') return undecoded(row, wish, made);
    return { type: 'sticker', media: { ...factsOf(row, wish, made), pack: name }, warnings: [] };
  }

  /** A picture that cannot be decoded here is sent with a warning if apps can probably show it. */
  async function undecoded(row: MediaRow, wish: FileWish, reason: Unconvertible['reason']): Promise<PreparedFile> {
    const isShown = wish.type === 'sticker' ? row.content_type === 'image/webp' : SHOWN_BY_APPS.test(row.content_type);
    const bare = reason === 'unreadable' && isShown ? await tried(row, { make: 'bare' }) : reason;
    if (typeof bare === 'string') throw notAPicture('media_r2_key', row, bare);
    return { type: wish.type, media: factsOf(row, wish, bare), warnings: [THUMBNAIL_UNAVAILABLE] };
  }

  async function video(row: MediaRow, wish: FileWish): Promise<PreparedFile> {
    const isLoop = wish.gif === true;
    const made = await tried(row, { make: 'video', isLoop });
    const marks = { ...(isLoop && { gif: true as const }), ...(wish.round && { round: true as const }) };
    if (typeof made !== 'string') {
      const warnings = made.notes.thumbnail === undefined ? [THUMBNAIL_UNAVAILABLE] : [];
      return { type: 'video', media: { ...factsOf(row, wish, made), ...marks }, warnings };
    }
    if (row.content_type !== 'video/mp4') throw invalidField('media_r2_key', VIDEO_NEEDS_FFMPEG);
    const notes = (await notesOf(row)) ?? {};
    return { type: 'video', media: { ...factsOf(row, wish, null), ...shown(notes), ...marks }, warnings: [THUMBNAIL_UNAVAILABLE] };
  }

  function made(row: MediaRow, wish: FileWish): Promise<PreparedFile> {
    if (wish.type === 'audio') return audio(row, wish);
    if (wish.type === 'sticker') return sticker(row, wish);
    if (wish.type === 'document') return asItIs(row, wish);
    return wish.type === 'image' || row.content_type === 'image/gif' ? image(row, wish) : video(row, wish);
  }

  async function asItIs(row: MediaRow, wish: FileWish): Promise<PreparedFile> {
    return { type: wish.type, media: { ...factsOf(row, wish, null), ...shown((await notesOf(row)) ?? {}) }, warnings: [] };
  }

  return {
    async noted(row) {
      const notes = await notesOf(row);
      if (!notes) return row;
      await rows.note(row.tenant_id, row._id, notes);
      return { ...row, notes };
    },

    async avatar(row, field) {
      const isShown = fits('image', row.content_type) && row.size <= MAX_AVATAR_BYTES;
      const scaled = isShown ? await tried(row, { make: 'avatar' }) : 'unreadable';
      // A small undecodable picture is used unscaled, because the network may be able to read it.
      const isReady = scaled === 'unreadable' && SHOWN_BY_APPS.test(row.content_type) && row.size <= MAX_READY_BYTES;
      const made = isReady ? await tried(row, { make: 'bare' }) : scaled;
      if (typeof made === 'string') throw invalidField(field, made === 'too_many_pixels' ? TOO_MANY_PIXELS : NO_AVATAR);
      return buffer(await derived.open(row.tenant_id, made._id));
    },

    async previewPicture(row) {
      const made = fits('image', row.content_type) ? await tried(row, { make: 'thumbnail', maxSide: PREVIEW_SIDE }) : 'unreadable';
      const thumbnail = typeof made === 'string' ? undefined : made.notes.thumbnail;
      if (thumbnail === undefined) throw notAPicture('link_preview.media_r2_key', row, typeof made === 'string' ? made : 'unreadable');
      return thumbnail;
    },

    async prepare(row, wish) {
      if (row.size > MAX_MEDIA_BYTES) return { type: wish.type, media: factsOf(row, wish, null), warnings: [] };
      const { media, ...prepared } = await made(row, wish);
      return { ...prepared, media: { ...media, ...(wish.viewOnce && { view_once: true }) } };
    },
  };
}

function factsOf({ content_type, filename, size, sha256 }: MediaRow, wish: FileWish, made: DerivedRow | null): MediaFacts {
  const facts = { content_type, filename: wish.filename ?? filename, size, sha256 };
  if (!made) return { ...facts, ...named(facts) };
  const sent = made.blob === null ? {} : { sent: { key: made._id, content_type: made.content_type, size: made.size, sha256: made.sha256 } };
  return { ...facts, ...sent, ...shown(made.notes) };
}

const named = ({ content_type }: Pick<MediaFacts, 'content_type'>) => ({ content_type: NAMES[content_type] ?? content_type });

function shown({ seconds, width, height, pages, waveform, thumbnail, animated }: FileNotes): Partial<MediaFacts> {
  return defined({
    seconds: seconds === undefined ? undefined : Math.max(1, Math.round(seconds)),
    width,
    height,
    pages,
    waveform: waveform && Buffer.from(waveform).toString('base64'),
    thumbnail,
    animated: animated ? true : undefined,
  });
}

const idOfPack = (publisher: string, name: string): string =>
  createHash('sha256')
    .update(JSON.stringify([publisher, name]))
    .digest('hex')
    .slice(0, 32);

const SHOWN_BY_APPS = /^image\/(jpeg|png|webp)$/;

export function notAPicture(field: string, { content_type }: MediaRow, reason: Unconvertible['reason']): Error {
  if (reason === 'too_many_pixels') return invalidField(field, TOO_MANY_PIXELS);
  return invalidField(field, {
    en: `the file (${content_type}) cannot be read as a picture; send a JPEG, PNG, WebP, GIF, AVIF or TIFF, or send it as a document`,
    id: `berkas (${content_type}) tidak dapat dibaca sebagai gambar; kirim sebagai JPEG, PNG, WebP, GIF, AVIF, atau TIFF, atau sebagai dokumen`,
  });
}

const NO_AVATAR = {
  en: 'a picture must be a JPEG, PNG, WebP, GIF, AVIF or TIFF of at most 10 MB',
  id: 'gambar harus berupa JPEG, PNG, WebP, GIF, AVIF, atau TIFF paling besar 10 MB',
};
const TOO_MANY_PIXELS = {
  en: 'the picture has more than 50 megapixels; make it smaller',
  id: 'gambar lebih dari 50 megapiksel; perkecil dahulu',
};
const VIDEO_NEEDS_FFMPEG = {
  en: 'the video could not be converted: ffmpeg is not installed or cannot read the file; send an MP4 (H.264, AAC), or send it as a document',
  id: 'video tidak dapat dikonversi: ffmpeg belum terpasang atau tidak dapat membaca berkas ini; kirim sebagai MP4 (H.264, AAC), atau sebagai dokumen',
};
const TOO_LONG = {
  en: 'a voice note or an audio file can be at most 60 minutes long; send a longer one as a document',
  id: 'pesan suara atau berkas audio paling lama 60 menit; kirim yang lebih panjang sebagai dokumen',
};
const NOT_THE_FORM = {
  en: `the file is not in the format of a voice note (${VOICE_FORM}, mono, 16 kHz, SILK wideband, three 20 ms frames per packet); leave out convert: false to have it converted`,
  id: `berkas ini tidak dalam format pesan suara (${VOICE_FORM}, mono, 16 kHz, SILK wideband, tiga bingkai 20 ms per paket); hapus convert: false agar dikonversi`,
};
