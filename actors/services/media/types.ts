import { isUtf8 } from 'node:buffer';
import { extname } from 'node:path';
import { isOneOf } from '../../../runtime/shapes.ts';
import { hasText } from '../../../store/messaging/message-row.ts';

export const HEAD_BYTES = 16_384;

const ANYTHING = 'application/octet-stream';
const OFFICE = 'application/vnd.openxmlformats-officedocument';
const OPEN = 'application/vnd.oasis.opendocument';

/** The bytes determine the family of types, and the file extension the type within the family. */
const FAMILIES: readonly Readonly<Record<string, string>>[] = [
  {
    docx: `${OFFICE}.wordprocessingml.document`,
    xlsx: `${OFFICE}.spreadsheetml.sheet`,
    pptx: `${OFFICE}.presentationml.presentation`,
    odt: `${OPEN}.text`,
    ods: `${OPEN}.spreadsheet`,
    odp: `${OPEN}.presentation`,
    epub: 'application/epub+zip',
    apk: 'application/vnd.android.package-archive',
    zip: 'application/zip',
  },
  { doc: 'application/msword', xls: 'application/vnd.ms-excel', ppt: 'application/vnd.ms-powerpoint', cfb: 'application/x-cfb' },
  { mp4: 'video/mp4', m4v: 'video/x-m4v', m4a: 'audio/mp4', mov: 'video/quicktime', '3gp': 'video/3gpp', aac: 'audio/x-m4a' },
  { ogg: 'audio/ogg', oga: 'audio/ogg', opus: 'audio/ogg', ogv: 'video/ogg', ogx: 'application/ogg' },
  { webm: 'video/webm', weba: 'audio/webm', mkv: 'video/matroska' },
];

const TEXTS: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  log: 'text/plain',
  csv: 'text/csv',
  md: 'text/markdown',
  vcf: 'text/vcard',
  ics: 'text/calendar',
  json: 'application/json',
};

/** A type that a browser would execute becomes `application/octet-stream`. */
export async function typeOf(head: Buffer, filename: string | null): Promise<string> {
  const extension = extname(filename ?? '')
    .slice(1)
    .toLowerCase();
  const seen = await seenIn(head);
  if (seen === null) return isText(head) ? (TEXTS[extension] ?? ANYTHING) : ANYTHING;
  const sound = soundOnly(seen, head);
  if (sound !== null) return sound;
  const refined = FAMILIES.find((family) => Object.values(family).includes(seen))?.[extension];
  return isInert(seen) ? (refined ?? seen) : ANYTHING;
}

/** Recognises audio in WebM or MP4 files without a video track. Browsers record such files. */
function soundOnly(seen: string, head: Buffer): string | null {
  if (seen === 'video/webm') return head.includes('A_OPUS') && !head.includes('V_') ? 'audio/webm' : null;
  if (seen !== 'video/mp4') return null;
  return head.includes('moov') && head.includes('soun') && !head.includes('vide') ? 'audio/mp4' : null;
}

async function seenIn(head: Buffer): Promise<string | null> {
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  return found?.mime.split(';', 1)[0] ?? null;
}

const RUN = /xml|html|svg|script|flash|wasm/;

/** Office types contain "xml" in their names, but browsers do not execute them. */
const isInert = (type: string): boolean => type.startsWith(OFFICE) || !RUN.test(type);

const isText = (head: Buffer): boolean =>
  !head.includes(0) && [0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, Math.max(0, head.length - cut))));

const MEDIA_TYPES = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

export const CAPTIONED: readonly MediaType[] = MEDIA_TYPES.filter(hasText);

export const isMediaType = (type: string): type is MediaType => isOneOf(MEDIA_TYPES, type);

export function fits(type: MediaType, contentType: string): boolean {
  if (type === 'document') return true;
  if (contentType === 'image/gif') return type !== 'audio';
  return contentType.startsWith(type === 'sticker' ? 'image/' : `${type}/`);
}
