import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import { type Converted, createConverter } from '../../../../../actors/services/media/convert/converter.ts';
import { avatar, picture } from '../../../../../actors/services/media/convert/image.ts';
import { sticker } from '../../../../../actors/services/media/convert/sticker.ts';
import { typeOf } from '../../../../../actors/services/media/types.ts';
import { present } from '../../../../../runtime/invariant.ts';
import { someChildren } from '../../../../runtime/child-processes/children-fixture.ts';
import { missing } from '../../../../support/missing.ts';
import { byFfmpeg, judged, tone, wavOf } from './samples.ts';

/** Programs that are not ours read what the gateway makes. Voice notes: voice.test.ts. */

const photo = sharp({ create: { width: 400, height: 200, channels: 3, background: 'red' } })
  .jpeg()
  .withExif({ IFD0: { Make: 'Secret camera', Artist: 'Dora' }, IFD3: { GPSLatitude: '1/1 2/1 3/1' } })
  .withMetadata({ orientation: 6 });
const pack = { id: 'x', name: 'Lunch “menu” 🍜', publisher: 'Acme', emojis: ['😀'] };

async function gifOf(colours: readonly string[]): Promise<Buffer> {
  const frames = colours.map((background) =>
    sharp({ create: { width: 65, height: 48, channels: 3, background } })
      .png()
      .toBuffer(),
  );
  return sharp(await Promise.all(frames), { join: { animated: true } })
    .gif({ delay: colours.map(() => 200) })
    .toBuffer();
}

const said = (program: string, args: readonly string[], file: Buffer): string => {
  const { said: text, status } = judged(program, args, file);
  assert.equal(status, 0, `${program}: ${text}`);
  return text;
};

describe('a converted picture', { skip: missing('exiftool') }, () => {
  it('contains no camera, location or owner metadata according to exiftool', async () => {
    const file = await photo.toBuffer();
    const tags = (bytes: Buffer): string => said('exiftool', ['-a', '-G1', '-s', 'in'], bytes);
    assert.match(tags(file), /Secret camera/);
    for (const { bytes } of [await picture(file, 1_600), await avatar(file)]) {
      const text = tags(present(bytes, 'bytes'));
      assert.match(text, /File Type +: JPEG|FileType +: JPEG/);
      assert.doesNotMatch(text, /IFD0|ExifIFD|GPS|XMP|IPTC|Secret|Dora/);
    }
  });
});

describe('a converted sticker', { skip: missing('webpinfo') || missing('dwebp') || missing('exiftool') }, () => {
  it('is a valid WebP with the right size and names, according to webpinfo, dwebp and exiftool', async () => {
    for (const [file, frames] of [
      [await photo.toBuffer(), 0],
      [await gifOf(['red', 'blue', 'green']), 3],
    ] as const) {
      const bytes = present((await sticker(file, { pack, isAsked: true })).bytes, 'bytes');
      const info = said('webpinfo', ['in'], bytes);
      assert.match(info, /No error detected/);
      assert.equal(info.match(/Chunk ANMF/g)?.length ?? 0, frames);
      assert.match(info, /Chunk EXIF/);
      if (frames > 0) continue;
      const { out } = judged('dwebp', ['in', '-o', 'out'], bytes);
      const { width, height, hasAlpha } = await sharp(out).metadata();
      assert.deepEqual([width, height, hasAlpha], [512, 512, true]);
    }
  });
});

describe('a converted video', { skip: missing('ffmpeg') || missing('ffprobe') }, () => {
  let source: Buffer;
  before(() => {
    source = byFfmpeg(
      wavOf(tone({ seconds: 1 })),
      '-f',
      'lavfi',
      '-i',
      'testsrc=size=97x63:rate=10:duration=1',
      '-c:v',
      'ffv1',
      '-c:a',
      'flac',
      '-f',
      'matroska',
    );
  });

  const inForm = (...args: readonly string[]): Buffer => byFfmpeg(source, ...args);
  const PLAYED = { video: ['h264', 'yuv420p'], audio: ['aac'] };
  const cases: readonly (readonly [what: string, type: string, file: () => Promise<Buffer> | Buffer, isLoop: boolean, sound: boolean])[] = [
    ['a WebM from a browser', 'video/webm', () => inForm('-c:v', 'libvpx', '-c:a', 'libopus', '-f', 'webm'), false, true],
    [
      'H.264 with full chroma',
      'video/mp4',
      () => inForm('-c:v', 'libx264', '-pix_fmt', 'yuv444p', '-c:a', 'aac', '-f', 'mp4'),
      false,
      true,
    ],
    [
      'an MP4 with its index at the end',
      'video/mp4',
      () => inForm('-vf', 'scale=96:62,setsar=1', '-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-c:a', 'aac', '-f', 'mp4'),
      false,
      true,
    ],
    ['an AVI', 'video/vnd.avi', () => inForm('-c:v', 'mpeg4', '-c:a', 'mp2', '-f', 'avi'), false, true],
    ['an MPEG', 'video/MP1S', () => inForm('-c:v', 'mpeg1video', '-r', '25', '-c:a', 'mp2', '-f', 'mpeg'), false, true],
    [
      'a transport stream of a camera',
      'video/mp2t',
      () => inForm('-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-vf', 'scale=96:62', '-c:a', 'aac', '-f', 'mpegts'),
      false,
      true,
    ],
    ['a GIF', 'image/gif', () => gifOf(['red', 'blue', 'green', 'white']), true, false],
  ];

  for (const [what, type, file, isLoop, sound] of cases)
    it(`can be played on phones before it is fully downloaded, according to ffprobe: ${what}`, async (t) => {
      const children = await someChildren(t, { cpuMsAnHour: 36_000_000 });
      const { convert } = createConverter({ children, ffmpeg: 'auto', now: Date.now });
      const bytes = await file();
      assert.equal(await typeOf(bytes, null), type);
      const from = { contentType: type, sha256: createHash('sha256').update(bytes).digest('hex'), open: async () => [bytes] };
      const converted = await convert('acme', from, { make: 'video', isLoop });
      const mp4 = await bytesOf(converted);
      const { streams, format } = JSON.parse(said('ffprobe', ['-v', 'error', '-show_streams', '-show_format', '-of', 'json', 'in'], mp4));
      const of = (kind: string): Record<string, unknown> | undefined =>
        streams.find(({ codec_type }: { codec_type: string }) => codec_type === kind);
      const [video, audio] = [of('video'), of('audio')];
      assert.deepEqual([video?.['codec_name'], video?.['pix_fmt']], PLAYED.video);
      assert.deepEqual(audio ? [audio['codec_name']] : null, sound ? PLAYED.audio : null);
      for (const side of ['width', 'height']) assert.equal(Number(video?.[side]) % 2, 0, `${side} ${video?.[side]}`);
      assert.deepEqual([converted.notes.width, converted.notes.height], [video?.['width'], video?.['height']]);
      assert.ok(Math.abs((converted.notes.seconds ?? 0) - Number(format.duration)) < 0.1, `${converted.notes.seconds} ${format.duration}`);
      assert.ok(mp4.indexOf('moov') < mp4.indexOf('mdat'));
      const small = Buffer.from(present(converted.notes.thumbnail, 'the thumbnail'), 'base64');
      assert.match(said('ffprobe', ['-v', 'error', '-show_entries', 'stream=codec_name', 'in'], small), /mjpeg/);
    });
});

async function bytesOf({ made }: Converted): Promise<Buffer> {
  const { file } = present(made, 'a file was made');
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.bytes()) chunks.push(chunk);
  await file.close();
  return Buffer.concat(chunks);
}
