import assert from 'node:assert/strict';
import type { FileContent } from '../../../actors/network/content.ts';
import { present } from '../../../runtime/invariant.ts';

/**
 * Each way in which the gateway sends a file, for clients that are not ours: each must find the file, its description
 * and its bytes.
 */

const WAVEFORM = Buffer.from(Array.from({ length: 64 }, (_, nth) => nth));
const THUMBNAIL = Buffer.from('ffd8ffe000104a464946ffd9', 'hex');
const shown = { width: 640, height: 480, thumbnail: THUMBNAIL.toString('base64') };
const SIDES = { width: 640, height: 480 };

interface Kind {
  readonly content: Omit<FileContent, 'file'>;
  readonly contentType: string;
  /** The field of the message that holds the file, without its wrapper, and what it says. */
  readonly field: string;
  readonly says: Readonly<Record<string, unknown>>;
  /** The fields of `says` that hold bytes: their number. */
  readonly bytes?: Readonly<Record<string, number>>;
  /** The media type that the file key is derived for. */
  readonly keyFor: 'image' | 'video' | 'audio' | 'document' | 'sticker';
}

const of = (type: FileContent['type'], look: Partial<FileContent> = {}): Kind['content'] => ({
  ...{ type, caption: null, voiceNote: false },
  ...look,
});
const picture = { contentType: 'image/jpeg', field: 'imageMessage', keyFor: 'image', bytes: { jpegThumbnail: THUMBNAIL.length } } as const;
const film = { contentType: 'video/mp4', field: 'videoMessage', keyFor: 'video', bytes: { jpegThumbnail: THUMBNAIL.length } } as const;
const note = { contentType: 'audio/ogg; codecs=opus', field: 'audioMessage', keyFor: 'audio', bytes: { waveform: 64 } } as const;
const paper = { contentType: 'application/pdf', field: 'documentMessage', keyFor: 'document' } as const;
const recorded = { seconds: 3, waveform: WAVEFORM.toString('base64'), voiceNote: true };

export const MEDIA_KINDS: Readonly<Record<string, Kind>> = {
  picture: { ...picture, content: of('image', { ...shown, caption: 'look' }), says: { ...SIDES, caption: 'look' } },
  'picture once': { ...picture, content: of('image', { ...shown, viewOnce: true }), says: { ...SIDES, viewOnce: true } },
  video: { ...film, content: of('video', { ...shown, seconds: 3 }), says: { ...SIDES, seconds: 3 } },
  'video once': { ...film, content: of('video', { ...shown, viewOnce: true }), says: { viewOnce: true } },
  loop: { ...film, content: of('video', { ...shown, gif: true }), says: { ...SIDES, gifPlayback: true } },
  round: { ...film, field: 'ptvMessage', content: of('video', { ...shown, round: true, seconds: 3 }), says: { ...SIDES, seconds: 3 } },
  sound: {
    ...{ content: of('audio', { seconds: 3 }), contentType: 'audio/mpeg', field: 'audioMessage' },
    ...{ says: { seconds: 3, ptt: false }, keyFor: 'audio' },
  },
  note: { ...note, content: of('audio', recorded), says: { seconds: 3, ptt: true } },
  'note once': { ...note, content: of('audio', { ...recorded, viewOnce: true }), says: { seconds: 3, ptt: true, viewOnce: true } },
  sticker: {
    ...{ content: of('sticker', { width: 512, height: 512, animated: true }), contentType: 'image/webp', field: 'stickerMessage' },
    ...{ says: { width: 512, height: 512, isAnimated: true }, keyFor: 'sticker' },
  },
  document: { ...paper, content: of('document', { pages: 7 }), says: { pageCount: 7, fileName: 'a.pdf' } },
  'document with caption': { ...paper, content: of('document', { caption: 'look' }), says: { caption: 'look', fileName: 'a.pdf' } },
};

const WRAPPERS = ['viewOnceMessageV2', 'viewOnceMessageV2Extension', 'documentWithCaptionMessage'];

/** Returns the part of a message that holds its file, with names in lower case. Some clients remove the wrapper themselves. */
// biome-ignore lint/suspicious/noExplicitAny: the fields that other programs report differ
export function fileIn(message: any, field: string): Readonly<Record<string, any>> {
  const wrapped = WRAPPERS.map((name) => message[name]?.message).find(Boolean) ?? message;
  const found = Object.entries(wrapped[field] ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.fromEntries(found);
}

/** Throws an AssertionError unless another program read a message of this kind as it was sent. */
export function expectRead(name: string, message: unknown): void {
  const { field, says, bytes = {}, contentType } = present(MEDIA_KINDS[name], name);
  const file = fileIn(message, field);
  const wanted = { ...says, mimetype: contentType };
  const read = Object.fromEntries(Object.keys(wanted).map((key) => [key, file[key.toLowerCase()]]));
  assert.deepEqual(read, wanted, `${name}: ${JSON.stringify(file)}`);
  for (const [key, count] of Object.entries(bytes)) assert.equal(bytesIn(file[key.toLowerCase()]).length, count, `${name}: ${key}`);
}

/** One program hands over bytes, another one base64. */
const bytesIn = (value: unknown): Buffer => (typeof value === 'string' ? Buffer.from(value, 'base64') : Buffer.from(value as Uint8Array));
