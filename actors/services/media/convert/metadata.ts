import { at } from '../../../../runtime/invariant.ts';
import { Unconvertible } from './unconvertible.ts';
import { strippedWebp } from './webp.ts';

/** Removes location, camera, names and trailing data. Pixels and colour profiles are kept. */
export function strippedJpeg(file: Buffer): Buffer {
  const kept = [file.subarray(0, 2)];
  let from = 2;
  while (from + 4 <= file.length) {
    if (file[from] !== 0xff) throw new Unconvertible('unreadable');
    const marker = at(file, from + 1);
    if (marker === 0xff) {
      from += 1;
      continue;
    }
    if (marker === SCAN) break;
    const end = from + 2 + file.readUInt16BE(from + 2);
    if (!isSaying(marker)) kept.push(file.subarray(from, end));
    from = end;
  }
  const end = file.lastIndexOf(END_OF_IMAGE);
  kept.push(file.subarray(from, end < from ? file.length : end + 2));
  return Buffer.concat(kept);
}

const SCAN = 0xda;
const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);
const [APP1, APP3, APP13, APP14, APP15, COMMENT] = [0xe1, 0xe3, 0xed, 0xee, 0xef, 0xfe];
/** Whether a marker contains Exif, XMP, IPTC, vendor data or a comment. Other markers are kept. */
const isSaying = (marker: number): boolean =>
  marker === APP1 || marker === APP13 || marker === COMMENT || (marker >= APP3 && marker <= APP15 && marker !== APP14);

const PICTURE: ReadonlySet<string> = new Set('IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP sBIT pHYs bKGD acTL fcTL fdAT'.split(' '));

export function strippedPng(file: Buffer): Buffer {
  const kept = [file.subarray(0, 8)];
  for (let from = 8; from + 12 <= file.length; ) {
    const end = from + 12 + file.readUInt32BE(from);
    const type = file.toString('latin1', from + 4, from + 8);
    if (end > file.length) throw new Unconvertible('unreadable');
    if (PICTURE.has(type)) kept.push(file.subarray(from, end));
    from = end;
    if (type === 'IEND') break;
  }
  const stripped = Buffer.concat(kept);
  return stripped.length === file.length ? file : stripped;
}

export function bare(file: Buffer): { readonly notes: object; readonly type: string; readonly bytes: Buffer } {
  if (file[0] === 0xff && file[1] === 0xd8) return { notes: {}, type: 'image/jpeg', bytes: strippedJpeg(file) };
  if (file.toString('latin1', 1, 4) === 'PNG') return { notes: {}, type: 'image/png', bytes: strippedPng(file) };
  return { notes: {}, type: 'image/webp', bytes: strippedWebp(file) };
}
