import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { type ConverterDeps, createConverter } from '../../../../../actors/services/media/convert/converter.ts';
import { Unconvertible } from '../../../../../actors/services/media/convert/unconvertible.ts';
import { typeOf } from '../../../../../actors/services/media/types.ts';
import { ChildEnded } from '../../../../../runtime/child-processes/watched-process.ts';
import { MP4 } from '../files.ts';

const CHILD = join(import.meta.dirname, 'hostile-child.ts');
const MB = 1024 * 1024;

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([size, named, sum]);
}

function png(side: number, ...between: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.writeUInt8(1, 8);
  const pixels = deflateSync(Buffer.alloc(Math.min(side, 64) * 9));
  const mark = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([mark, chunk('IHDR', head), ...between, chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

function gif(side: number, frames: number): Buffer {
  const head = Buffer.from('474946383961000000008000000000 00ffffff'.replaceAll(' ', ''), 'hex');
  head.writeUInt16LE(side, 6);
  head.writeUInt16LE(side, 8);
  const frame = Buffer.from('21f9040402000000 2c00000000010001000002024401 00'.replaceAll(' ', ''), 'hex');
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame), Buffer.from([0x3b])]);
}

function box(type: string, ...inside: readonly Buffer[]): Buffer {
  const content = Buffer.concat(inside);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(head.length + content.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
}

/** An MP4 whose tracks each name four billion samples of one byte, which are not in the file. */
function promising(tracks: number): Buffer {
  const sizes = box('stsz', Buffer.from('00000000' + '00000001' + 'ffffffff', 'hex'));
  const track = box('trak', box('mdia', box('minf', box('stbl', sizes))));
  const brand = MP4.subarray(0, MP4.readUInt32BE(0));
  return Buffer.concat([brand, box('moov', ...Array.from({ length: tracks }, () => track))]);
}

/** Silence of 8 kbit/s, in frames of 24 ms. */
const mp3 = (seconds: number): Buffer => {
  const frame = Buffer.concat([Buffer.from('fff314c4', 'hex'), Buffer.alloc(20)]);
  return Buffer.alloc(Math.ceil(seconds / 0.024) * frame.length, frame);
};

const photo = (): Promise<Buffer> =>
  sharp({
    create: { width: 900, height: 900, channels: 3, background: 'red', noise: { type: 'gaussian', mean: 128, sigma: 60 } },
  })
    .jpeg()
    .toBuffer();

const cutPhoto = async (): Promise<Buffer> => {
  const whole = await photo();
  return whole.subarray(0, whole.length / 3);
};

/** A file, what is made of it, and how that ends. */
const FILES: Readonly<Record<string, readonly [() => Buffer | Promise<Buffer>, make: string, ends: RegExp]>> = {
  'a PNG of 20,000²': [() => png(20_000), 'image', /^too_many_pixels$/],
  'a PNG of 60,000²': [() => png(60_000), 'avatar', /^too_many_pixels$/],
  'a GIF of 65,535² with 500 frames': [() => gif(65_535, 500), 'image', /^(made|too_many_pixels)$/],
  'a GIF of 65,535² with 500 frames as a sticker': [() => gif(65_535, 500), 'sticker', /^(made|unreadable|too_many_pixels)$/],
  'a GIF with 20,000 frames': [() => gif(1, 20_000), 'image', /^made$/],
  'a GIF with 20,000 frames as a sticker': [() => gif(1, 20_000), 'sticker', /^made$/],
  'a PNG with a 100 MB text chunk': [
    () => png(64, chunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(100 * MB))]))),
    'image',
    /^(made|unreadable)$/,
  ],
  'a truncated JPEG as an avatar': [cutPhoto, 'avatar', /^unreadable$/],
  'a truncated JPEG whose metadata is removed': [cutPhoto, 'bare', /^made$/],
  'a JPEG followed by a zip': [async () => Buffer.concat([await photo(), Buffer.from('PK\x03\x04'), Buffer.alloc(MB)]), 'image', /^made$/],
  'a script that starts like a GIF': [() => Buffer.from('GIF89a/*<script>alert(1)</script>*/'), 'image', /^unreadable$/],
  'an MP4 without its index': [
    () => Buffer.concat([MP4.subarray(0, MP4.readUInt32BE(0)), Buffer.alloc(MB)]),
    'facts',
    /^(made|unreadable)$/,
  ],
  'an MP4 with 300 tracks that claim billions of samples': [() => promising(300), 'facts', /^(made|unreadable)$/],
  'an MP3 longer than an hour': [() => mp3(3_700), 'voice', /^too_long$/],
  'a PDF with many operators': [
    () =>
      Buffer.concat([
        Buffer.from('%PDF-1.4\n1 0 obj<</Length 20000000>>stream\n'),
        Buffer.alloc(20 * MB, '0 0 m 1 1 l S\n'),
        Buffer.from('\nendstream endobj\n%%EOF'),
      ]),
    'facts',
    /^(made|unreadable)$/,
  ],
};

async function judged(make: string, file: Buffer): Promise<{ readonly ended: string; readonly cpuMs: number; readonly memoryMb: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
  try {
    const path = join(folder, 'in');
    writeFileSync(path, file);
    const child = fork(CHILD, [make, path], {
      execArgv: ['--max-old-space-size=192'],
      env: { UV_THREADPOOL_SIZE: '1', MALLOC_ARENA_MAX: '2' },
    });
    const ended = once(child, 'exit').then(([code]) => assert.fail(`the child ended: ${code}`));
    const [report] = await Promise.race([once(child, 'message'), ended]);
    return report;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('a hostile file', () => {
  // CPU time depends on the machine and on what else runs. A photo takes 0.4 s on two shared cores, with the start of its process.
  let photoMs = 0;
  before(async () => {
    photoMs = (await judged('image', await photo())).cpuMs;
  });

  for (const [title, [make, kind, ends]] of Object.entries(FILES))
    it(`uses no more CPU time than a few photos, and at most 300 MB of memory: ${title}`, async () => {
      const { ended, cpuMs, memoryMb } = await judged(kind, await make());
      assert.match(ended, ends);
      // A moving sticker of 120 frames is work that was asked for.
      const most = (kind === 'sticker' ? 10 : 5) * photoMs;
      assert.ok(cpuMs < most, `${cpuMs} ms of ${most}`);
      assert.ok(memoryMb < 300, `${memoryMb} MB`);
    });

  it('can use at most five seconds of CPU time if it is a PDF', async () => {
    const spent: number[] = [];
    const children: ConverterDeps['children'] = {
      jobs: ({ limits }) => ({
        async run() {
          spent.push(limits.cpuSeconds);
          throw new ChildEnded('time');
        },
        close: async () => {},
      }),
      stage: async () => ({ path: '', bytes: 0, sha256: '', remove: async () => {} }),
      run: async () => assert.fail('a program was started'),
    };
    const { convert, counts } = createConverter({ children, ffmpeg: 'off', now: () => 0 });
    const pdf = { contentType: 'application/pdf', sha256: '', open: async () => [] };
    await assert.rejects(convert('acme', pdf, { make: 'facts' }), Unconvertible);
    assert.deepEqual([spent, counts().killed], [[5], 1]);
  });

  it('is not accepted as video or audio if it is a playlist that refers to other files', async () => {
    for (const text of ['#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n', 'ffconcat version 1.0\nfile /etc/passwd\n'])
      for (const name of ['a.mp4', 'a.mp3']) assert.equal(await typeOf(Buffer.from(text), name), 'application/octet-stream');
  });
});
