import { Buffer } from 'node:buffer';
import type { DerivedRow, FileNotes } from '../../../store/media/derived-files.ts';
import type { MediaRow, MediaRows } from '../../../store/media/media.ts';
import type { MediaFacts } from '../../../store/messaging/messages.ts';
import { invalidField } from '../../domain/refusals.ts';
import type { Ffmpeg } from './convert/ffmpeg.ts';
import { defined, type Recipe } from './convert/recipes.ts';
import { Unconvertible } from './convert/unconvertible.ts';
import type { DerivedLibrary } from './derived-library.ts';
import { type FileWarning, VOICE_NOT_CONVERTED } from './file-warnings.ts';
import { MAX_MEDIA_BYTES } from './library.ts';
import type { MediaType } from './types.ts';

/**
 * Files as they are to leave: what the network and people's apps take, made of what callers give.
 *
 * Decides by type what a file becomes, what is said of it, and what happens where it cannot be converted: a send goes
 * on with a warning where it can, and is refused with the reason where it cannot. The message's row keeps the answer,
 * so that a resend is the same file.
 */
export interface PreparedFiles {
  /** Refuses VALIDATION_FAILED where this type cannot carry the file, OVERLOADED, and NOT_FOUND when the file is gone. */
  prepare(row: MediaRow, wish: FileWish): Promise<PreparedFile>;
  /** The row of a fresh upload, with what it says of itself where that can be read now. */
  noted(row: MediaRow): Promise<MediaRow>;
}

/** How a caller wants a file to be sent. */
export interface FileWish {
  readonly type: MediaType;
  /** Default: that of the file. */
  readonly filename?: string | undefined;
  readonly voiceNote?: boolean | undefined;
  /** False: as it is. */
  readonly convert?: boolean | undefined;
}

export interface PreparedFile {
  readonly media: MediaFacts;
  readonly warnings: readonly FileWarning[];
}

export interface PreparedDeps {
  readonly derived: Pick<DerivedLibrary, 'derive'>;
  readonly ffmpeg: Pick<Ffmpeg, 'state'>;
  readonly rows: Pick<MediaRows, 'note'>;
}

/** Types that the network has another name for. */
const NAMES: Readonly<Record<string, string>> = { 'audio/x-m4a': 'audio/mp4', 'video/x-m4v': 'video/mp4' };
const VOICE_FORM = 'audio/ogg; codecs=opus';
/** Files that say something of themselves. */
const TELLING = /^(audio|video)\/|^application\/(pdf|ogg)$/;

interface Made {
  readonly row: DerivedRow | null;
  readonly warnings: readonly FileWarning[];
}

export function createPreparedFiles({ derived, rows }: PreparedDeps): PreparedFiles {
  async function notesOf(row: MediaRow): Promise<FileNotes | null> {
    if (row.notes) return row.notes;
    if (!TELLING.test(row.content_type) || row.size > MAX_MEDIA_BYTES) return null;
    try {
      return (await derived.derive(row, { make: 'facts' })).notes;
    } catch {
      return null;
    }
  }

  /** Null: it cannot be made here, for this reason. */
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
    if (note?.row) return { media: { ...factsOf(row, wish, note.row), voice_note: true }, warnings: [] };
    const notes = await notesOf(row);
    return { media: { ...factsOf(row, wish, null), ...shown(notes ?? {}) }, warnings: note?.warnings ?? [] };
  }

  async function asItIs(row: MediaRow, wish: FileWish): Promise<PreparedFile> {
    return { media: { ...factsOf(row, wish, null), ...shown((await notesOf(row)) ?? {}) }, warnings: [] };
  }

  return {
    async noted(row) {
      const notes = await notesOf(row);
      if (!notes) return row;
      await rows.note(row.tenant_id, row._id, notes);
      return { ...row, notes };
    },

    async prepare(row, wish) {
      if (row.size > MAX_MEDIA_BYTES) return { media: factsOf(row, wish, null), warnings: [] };
      return wish.type === 'audio' ? audio(row, wish) : asItIs(row, wish);
    },
  };
}

/** The file, and what is given to the network in its place. */
function factsOf({ content_type, filename, size, sha256 }: MediaRow, wish: FileWish, made: DerivedRow | null): MediaFacts {
  const facts = { content_type, filename: wish.filename ?? filename, size, sha256 };
  if (!made) return { ...facts, ...named(facts) };
  const sent = made.blob === null ? {} : { sent: { key: made._id, content_type: made.content_type, size: made.size, sha256: made.sha256 } };
  return { ...facts, ...sent, ...shown(made.notes) };
}

const named = ({ content_type }: Pick<MediaFacts, 'content_type'>) => ({ content_type: NAMES[content_type] ?? content_type });

/** What a message's row keeps of it. */
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

const TOO_LONG = { en: 'a voice note is at most 60 minutes long', id: 'pesan suara paling lama 60 menit' };
const NOT_THE_FORM = {
  en: `the file is no voice note as phones record them (${VOICE_FORM}, mono, 16 kHz, SILK wideband, three frames of 20 ms a packet); leave out convert: false to have it converted`,
  id: `berkas ini bukan pesan suara seperti rekaman ponsel (${VOICE_FORM}, mono, 16 kHz, SILK wideband, tiga bingkai 20 ms per paket); hapus convert: false agar dikonversi`,
};
