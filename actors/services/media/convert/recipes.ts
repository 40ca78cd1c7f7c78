import { isOneOf, isRecord, memberOf } from '../../../../runtime/shapes.ts';
import type { FileNotes } from '../../../../store/media/derived-files.ts';
import { CAUSES, type Cause } from './unconvertible.ts';

/** What a child process is to make of a file. */
export type Recipe =
  /** Only what can be said of the file. */
  | { readonly make: 'facts' }
  /** `isPcm`: mono samples of 16 bits at 16 kHz, as ffmpeg wrote them. */
  | { readonly make: 'voice'; readonly isPcm?: true }
  /** A picture as the network takes it, upright and without metadata. */
  | { readonly make: 'image'; readonly maxSide: number }
  /** A picture that cannot be decoded here, without what it says of its place and camera. */
  | { readonly make: 'bare' }
  /** The picture of a profile, a group or a channel: a square JPEG. */
  | { readonly make: 'avatar' }
  /** The notes have a small picture of it. `maxSide`: default 100 pixels. */
  | { readonly make: 'thumbnail'; readonly maxSide?: number }
  /** A video that plays everywhere, or a GIF as one. `needs_ffmpeg`: it would have to be made by it. */
  | { readonly make: 'video'; readonly isLoop: boolean }
  | { readonly make: 'sticker'; readonly pack: StickerPack; readonly isAsked: boolean };

export interface StickerPack {
  readonly id: string;
  readonly name: string;
  readonly publisher: string;
  readonly emojis: readonly string[];
}

/** The pack that an order names; null: it names none. */
export function packIn(pack: unknown): StickerPack | null {
  const [id, name, publisher, emojis] = ['id', 'name', 'publisher', 'emojis'].map((field) => memberOf(pack, field));
  const isPack = typeof id === 'string' && typeof name === 'string' && typeof publisher === 'string' && Array.isArray(emojis);
  return isPack ? { id, name, publisher, emojis: emojis.map(String) } : null;
}

/** The first line of a child's result. Bytes follow where `type` is given. */
export type Outcome =
  | { readonly refused: Cause }
  | { readonly notes: FileNotes /** Of the bytes; null: those of the source serve. */; readonly type: string | null };

const MAX_SECONDS = 1_000_000_000;
const MAX_SIDE = 1_000_000;
const MAX_THUMBNAIL = 8_192;

/** Reads what a child says: nothing of it is believed. Null: it said something else. */
export function outcomeIn(line: unknown): Outcome | null {
  const refused = memberOf(line, 'refused');
  if (isOneOf(CAUSES, refused)) return { refused };
  const [notes, type] = [memberOf(line, 'notes'), memberOf(line, 'type')];
  if (!isRecord(notes) || !(type === null || (typeof type === 'string' && type.length <= 100))) return null;
  return { notes: notesIn(notes), type };
}

function notesIn(notes: Readonly<Record<string, unknown>>): FileNotes {
  const number = (name: string, most: number): number | undefined => {
    const value = notes[name];
    return typeof value === 'number' && value >= 0 && value <= most ? value : undefined;
  };
  const codec = (name: string): string | null | undefined => {
    const value = notes[name];
    return value === null || (typeof value === 'string' && value.length <= 64) ? value : undefined;
  };
  const { waveform, thumbnail } = notes;
  return defined({
    seconds: number('seconds', MAX_SECONDS),
    width: number('width', MAX_SIDE),
    height: number('height', MAX_SIDE),
    pages: number('pages', MAX_SIDE),
    waveform: Array.isArray(waveform) && waveform.length === 64 && waveform.every(isBar) ? waveform : undefined,
    thumbnail: typeof thumbnail === 'string' && thumbnail.length <= MAX_THUMBNAIL ? thumbnail : undefined,
    animated: notes['animated'] === true ? true : undefined,
    video: codec('video'),
    audio: codec('audio'),
    fastStart: typeof notes['fastStart'] === 'boolean' ? notes['fastStart'] : undefined,
  });
}

const isBar = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 100;

type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the members that are undefined. Plain data only. */
export const defined = <T extends object>(value: T): Defined<T> => JSON.parse(JSON.stringify(value));
