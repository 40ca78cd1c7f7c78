import { isOneOf, isRecord, memberOf } from '../../../../runtime/shapes.ts';
import type { FileNotes } from '../../../../store/media/derived-files.ts';
import { CAUSES, type Cause } from './unconvertible.ts';

export type Recipe =
  | { readonly make: 'facts' }
  /** `isPcm` means that the input is mono, with 16-bit samples at 16 kHz. */
  | { readonly make: 'voice'; readonly isPcm?: true }
  | { readonly make: 'image'; readonly maxSide: number }
  | { readonly make: 'bare' }
  | { readonly make: 'avatar' }
  | { readonly make: 'thumbnail'; readonly maxSide?: number }
  | { readonly make: 'video'; readonly isLoop: boolean }
  | { readonly make: 'sticker'; readonly pack: StickerPack; readonly isAsked: boolean };

export interface StickerPack {
  readonly id: string;
  readonly name: string;
  readonly publisher: string;
  readonly emojis: readonly string[];
}

export function packIn(pack: unknown): StickerPack | null {
  const [id, name, publisher, emojis] = ['id', 'name', 'publisher', 'emojis'].map((field) => memberOf(pack, field));
  const isPack = typeof id === 'string' && typeof name === 'string' && typeof publisher === 'string' && Array.isArray(emojis);
  return isPack ? { id, name, publisher, emojis: emojis.map(String) } : null;
}

/** First line of a child's result. With a `type`, the bytes of the converted file follow. */
export type Outcome =
  | { readonly refused: Cause }
  | { readonly notes: FileNotes /** Type of the bytes that follow; null to use the source's bytes. */; readonly type: string | null };

const MAX_SECONDS = 1_000_000_000;
const MAX_SIDE = 1_000_000;
const MAX_THUMBNAIL = 8_192;

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

export const defined = <T extends object>(value: T): Defined<T> => JSON.parse(JSON.stringify(value));
