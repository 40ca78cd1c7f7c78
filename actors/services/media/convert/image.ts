import sharp, { type Metadata, type Sharp } from 'sharp';
import type { FileNotes } from '../../../../store/media/derived-files.ts';
import { strippedJpeg, strippedPng } from './metadata.ts';
import { Unconvertible } from './unconvertible.ts';

/**
 * Converts pictures to the form that the network accepts: upright, limited in size, without
 * metadata, as JPEG or PNG. Only six decoders are enabled, so SVGs and PDFs are never decoded.
 */

const MAX_PIXELS = 50_000_000;
const MAX_THUMBNAIL_BYTES = 5_120;
const THUMBNAIL_SIDE = 100;
const AVATAR_SIDE = 640;
const QUALITY = 82;
const WHITE = '#ffffff';
const READERS = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff'];

sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: READERS.map((name) => `VipsForeignLoad${name}`) });

export interface Picture {
  readonly notes: FileNotes;
  readonly type: string | null;
  readonly bytes?: Buffer;
}

export const opened = (file: Buffer, animated: boolean | number = false): Sharp =>
  sharp(file, {
    limitInputPixels: false,
    failOn: 'error',
    sequentialRead: true,
    ...(animated === false ? {} : { pages: animated === true ? -1 : animated }),
  }).timeout({
    seconds: 10,
  });

export async function examined(file: Buffer): Promise<Metadata> {
  const found = await sharp(file, { limitInputPixels: false, failOn: 'error' })
    .metadata()
    .catch(() => {
      throw new Unconvertible('unreadable');
    });
  if (found.width * (found.pageHeight ?? found.height) > MAX_PIXELS) throw new Unconvertible('too_many_pixels');
  return found;
}

export async function picture(file: Buffer, maxSide: number): Promise<Picture> {
  const found = await examined(file);
  const { width, height } = found.autoOrient;
  const bytes = (await kept(file, found, maxSide)) ?? (await encoded(file, maxSide));
  const scale = Math.min(1, maxSide / Math.max(width, height));
  const sides = bytes.scaled ?? { width: Math.round(width * scale), height: Math.round(height * scale) };
  const thumbnail = await thumbnailOf(bytes.data);
  const notes = { ...sides, ...(thumbnail !== null && { thumbnail }) };
  return bytes.data === file ? { notes, type: null } : { notes, type: bytes.type, bytes: bytes.data };
}

interface Encoded {
  readonly data: Buffer;
  readonly type: string;
  readonly scaled?: { readonly width: number; readonly height: number };
}

async function kept(
  file: Buffer,
  { format, width, height, orientation = 1, space, hasAlpha }: Metadata,
  maxSide: number,
): Promise<Encoded | null> {
  if (orientation !== 1 || Math.max(width, height) > maxSide || space === 'cmyk') return null;
  if (format === 'jpeg') return { data: strippedJpeg(file), type: 'image/jpeg' };
  if (format !== 'png' || (hasAlpha && !(await opened(file).stats()).isOpaque)) return null;
  return { data: strippedPng(file), type: 'image/png' };
}

async function encoded(file: Buffer, maxSide: number): Promise<Encoded> {
  const { data, info } = await opened(file)
    .autoOrient()
    .resize({ width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: WHITE })
    .toColorspace('srgb')
    .jpeg({ quality: QUALITY })
    .toBuffer({ resolveWithObject: true });
  return { data, type: 'image/jpeg', scaled: { width: info.width, height: info.height } };
}

export async function avatar(file: Buffer): Promise<Picture> {
  await examined(file);
  const bytes = await opened(file)
    .autoOrient()
    .resize({ width: AVATAR_SIDE, height: AVATAR_SIDE, fit: 'cover' })
    .flatten({ background: WHITE })
    .toColorspace('srgb')
    .jpeg({ quality: 80 })
    .toBuffer();
  return { notes: { width: AVATAR_SIDE, height: AVATAR_SIDE }, type: 'image/jpeg', bytes };
}

/** Returns a thumbnail in base64, or null if the JPEG is too large. Rejects if it cannot be decoded. */
export async function thumbnailOf(file: Buffer, side = THUMBNAIL_SIDE): Promise<string | null> {
  const jpeg = await opened(file)
    .autoOrient()
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: WHITE })
    .jpeg({ quality: 60 })
    .toBuffer();
  return jpeg.length <= MAX_THUMBNAIL_BYTES ? jpeg.toString('base64') : null;
}
