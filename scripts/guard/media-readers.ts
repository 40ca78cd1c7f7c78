import { strippedJpeg, strippedPng } from '../../actors/services/media/convert/metadata.ts';
import { secondsOfMp3 } from '../../actors/services/media/convert/mp3.ts';
import { readMp4 } from '../../actors/services/media/convert/mp4.ts';
import { readOgg } from '../../actors/services/media/convert/ogg.ts';
import { readWav } from '../../actors/services/media/convert/wav.ts';
import { readWebm } from '../../actors/services/media/convert/webm.ts';
import { strippedWebp, webpFacts } from '../../actors/services/media/convert/webp.ts';
import { headOf, textOf } from '../../actors/services/media/previews/page-head.ts';
import { tone, wavOf } from '../../test/actors/services/media/convert/samples.ts';
import { MP4, OGG, PNG, WEBP } from '../../test/actors/services/media/files.ts';

export interface Reader {
  readonly valid: readonly Buffer[];
  read(bytes: Buffer): unknown;
}

/** Media readers run in child processes, but their time is limited even there. */
export const mediaReaders = (): Readonly<Record<string, Reader>> => ({
  'Ogg files': { valid: [OGG], read: readOgg },
  'WebM files': { valid: [WEBM], read: readWebm },
  'MP4 files': { valid: [MP4], read: readMp4 },
  'WAV files': { valid: [wavOf(tone({ seconds: 0.05 }))], read: readWav },
  'MP3 files': { valid: [MP3], read: secondsOfMp3 },
  'WebP files': { valid: [WEBP], read: (bytes) => [webpFacts(bytes), strippedWebp(bytes)] },
  'segments of JPEGs': { valid: [JPEG], read: strippedJpeg },
  'chunks of PNGs': { valid: [PNG], read: strippedPng },
  'heads of pages': { valid: [PAGE], read: (bytes) => headOf(textOf(bytes, null)) },
});

const element = (id: string, ...inside: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(inside);
  return Buffer.concat([Buffer.from(id, 'hex'), Buffer.from([0x40 | (content.length >> 8), content.length & 0xff]), content]);
};
const OPUS_HEAD = Buffer.concat([Buffer.from('OpusHead'), Buffer.from('0101380180bb000000000000'.slice(0, 22), 'hex')]);
const WEBM = Buffer.concat([
  element('1a45dfa3', element('4282', Buffer.from('webm'))),
  element(
    '18538067',
    element('1549a966', element('2ad7b1', Buffer.from([0x0f, 0x42, 0x40]))),
    element(
      '1654ae6b',
      element(
        'ae',
        ...[element('d7', Buffer.from([1])), element('83', Buffer.from([2]))],
        ...[element('86', Buffer.from('A_OPUS')), element('63a2', OPUS_HEAD)],
      ),
    ),
    element('1f43b675', element('e7', Buffer.from([0])), element('a3', Buffer.from([0x81, 0, 0, 0x80, 0x78, 1, 2, 3]))),
  ),
]);
/** Three frames of MPEG-1 Layer III, 128 kbit/s, 44.1 kHz. */
const MP3 = Buffer.concat(Array.from({ length: 3 }, () => Buffer.concat([Buffer.from('fffb9064', 'hex'), Buffer.alloc(413)])));
const segment = (marker: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0xff, marker, (content.length + 2) >> 8, (content.length + 2) & 0xff]), content]);
const JPEG = Buffer.concat([
  Buffer.from([0xff, 0xd8]),
  ...[segment(0xe1, Buffer.from('Exif\0\0place')), segment(0xdb, Buffer.alloc(65)), segment(0xfe, Buffer.from('by me'))],
  ...[segment(0xda, Buffer.alloc(10)), Buffer.alloc(40, 7), Buffer.from([0xff, 0xd9]), Buffer.from('PK tail')],
]);
const PAGE = Buffer.from(
  '<html><head><meta charset="utf-8"><!-- x --><title>A &amp; B</title><meta property="og:title" content="C"><script>x</script></head><body>',
);
