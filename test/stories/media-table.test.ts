import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { at, present } from '../../runtime/invariant.ts';
import { byFfmpeg, tone, wavOf } from '../actors/services/media/convert/samples.ts';
import { MP4, upload } from '../actors/services/media/files.ts';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { missing } from '../support/missing.ts';
import { embedded, type Scope } from '../support/stores.ts';

/**
 * The table of docs/media.md: what arrives for each file, with and without ffmpeg. A row without a case, and a case
 * without a row, fail.
 */

const ROOT = resolve(import.meta.dirname, '../..');

type Fields = Readonly<Record<string, unknown>>;
/** The code of the answer's warning, and what the recipient's phone shows; or the words of the refusal. */
type Arrives = { readonly shows: Fields; readonly warns?: string } | { readonly refused: RegExp };

interface Case {
  readonly orders: readonly Fields[];
  readonly files: () => Readonly<Record<string, Buffer | Promise<Buffer>>>;
  readonly arrives: Arrives;
  /** The content that arrives without ffmpeg, if it differs. */
  readonly without?: Arrives;
}

const SECONDS = 1;
const sound = () => wavOf(tone({ seconds: SECONDS, rate: 48_000 }), 48_000);
const heard = (...args: readonly string[]) => byFfmpeg(sound(), '-c:a', ...args);
const plain = (colour = 'red') => sharp({ create: { width: 64, height: 48, channels: 3, background: colour } });
const moving = async (): Promise<Buffer> =>
  sharp(await Promise.all(['red', 'blue'].map((colour) => plain(colour).png().toBuffer())), { join: { animated: true } })
    .gif({ delay: [300, 300] })
    .toBuffer();
const film = (...args: readonly string[]) => byFfmpeg(MP4, '-c:v', ...args);
/** Half a second of AMR: no encoder is installed, but a frame of silence is short. */
const amr = () => Buffer.concat([Buffer.from('#!AMR\n'), ...Array.from({ length: 50 }, () => Buffer.from('3c'.padEnd(64, '0'), 'hex'))]);
const heic = () => Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypheic\0\0\0\0heicmif1'), Buffer.alloc(64)]);

const PICTURES = () => ({
  jpeg: plain().jpeg().toBuffer(),
  png: plain().ensureAlpha(0.5).png().toBuffer(),
  webp: plain().webp().toBuffer(),
  avif: plain().avif({ effort: 0 }).toBuffer(),
  tiff: plain().tiff().toBuffer(),
});
const NOTE = { type: 'audio', voice_note: true, seconds: SECONDS, file: 'audio/ogg; codecs=opus' };
const PICTURE = { type: 'image', width: 64, height: 48, thumbnail: 64, file: 'image/jpeg' };
const STICKER = { type: 'sticker', width: 512, height: 512, pack: 'Acme', file: 'image/webp' };
const FILM = { type: 'video', seconds: 1, width: 32, height: 16, file: 'video/mp4' };

const CASES: Readonly<Record<string, Case>> = {
  '`audio` with `voice_note: true`: WAV, MP3, Ogg Opus, WebM or MP4 with Opus': {
    orders: [{ type: 'audio', voice_note: true }],
    // Conversions of the others are tested in voice.test.ts.
    files: () => ({ wav: sound() }),
    arrives: { shows: NOTE },
  },
  '`audio` with `voice_note: true`: M4A, AAC, AMR, FLAC, Ogg Vorbis': {
    orders: [{ type: 'audio', voice_note: true }],
    files: () => ({
      m4a: heard('aac', '-f', 'ipod'),
      aac: heard('aac', '-f', 'adts'),
      amr: amr(),
      flac: heard('flac', '-f', 'flac'),
      ogg: heard('vorbis', '-strict', '-2', '-ac', '2', '-f', 'ogg'),
    }),
    arrives: { shows: NOTE },
    without: { shows: { type: 'audio', voice_note: undefined }, warns: 'VOICE_NOT_CONVERTED' },
  },
  '`audio`': {
    orders: [{ type: 'audio' }],
    files: () => ({ wav: sound(), m4a: heard('aac', '-f', 'ipod') }),
    arrives: { shows: { type: 'audio', voice_note: undefined, seconds: SECONDS } },
  },
  '`image`: JPEG, PNG, WebP, AVIF, TIFF': { orders: [{ type: 'image' }], files: PICTURES, arrives: { shows: PICTURE } },
  '`image`: HEIC, SVG, BMP and other formats': {
    orders: [{ type: 'image' }],
    files: () => ({
      heic: heic(),
      svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      bmp: film('bmp', '-frames:v', '1', '-f', 'image2'),
    }),
    arrives: { refused: /JPEG/ },
  },
  '`image` or `video`: GIF': {
    orders: [{ type: 'image' }, { type: 'video' }],
    files: () => ({ gif: moving() }),
    arrives: { shows: { type: 'video', gif: true, width: 64, height: 48, file: 'video/mp4' } },
    without: { shows: PICTURE, warns: 'SENT_AS_FILE' },
  },
  '`sticker`: JPEG, PNG, WebP, AVIF, TIFF or GIF': {
    orders: [{ type: 'sticker' }],
    files: () => ({ jpeg: plain().jpeg().toBuffer(), gif: moving() }),
    arrives: { shows: STICKER },
  },
  '`video`: MP4 with H.264 and AAC': {
    orders: [{ type: 'video' }],
    files: () => ({ mp4: MP4 }),
    arrives: { shows: { ...FILM, thumbnail: 100 } },
    without: { shows: FILM, warns: 'THUMBNAIL_UNAVAILABLE' },
  },
  '`video`: other MP4': {
    orders: [{ type: 'video' }],
    files: () => ({ mp4: film('mpeg4', '-f', 'mp4') }),
    arrives: { shows: { ...FILM, thumbnail: 100 } },
    without: { shows: FILM, warns: 'THUMBNAIL_UNAVAILABLE' },
  },
  '`video`: WebM, QuickTime, Matroska, AVI, 3GP, MPEG': {
    orders: [{ type: 'video' }],
    // Matroska and 3GP are read as WebM and QuickTime are. AVI and MPEG are tested in judges.test.ts.
    files: () => ({
      webm: film('libvpx', '-f', 'webm'),
      mov: film('copy', '-f', 'mov'),
    }),
    arrives: { shows: { ...FILM, thumbnail: 100 } },
    without: { refused: /ffmpeg/ },
  },
  '`document`': {
    orders: [{ type: 'document' }],
    files: () => ({ pdf: Buffer.from(ONE_PAGE), heic: heic() }),
    arrives: { shows: { type: 'document', thumbnail: undefined } },
  },
};

const ONE_PAGE = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
trailer<</Root 1 0 R>>
%%EOF`;

function rowsOf(page: string): readonly string[] {
  const [, table = ''] = page.split(/^\| you send .*$/m);
  const rows = table.trimStart().split('\n\n', 1)[0] ?? '';
  return rows
    .split('\n')
    .slice(1)
    .map((row) => (row.split('|')[1] ?? '').trim());
}

async function aShop(t: Scope, media_ffmpeg: string) {
  const gateway = await aGateway(t, { kind: embedded, config: { media_ffmpeg } });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const arrived = () => sandboxVerbs(gateway.sandbox).messages(ANNA).messages;
  return async (order: Fields, file: Buffer, name: string): Promise<Arrives> => {
    const before = arrived().length;
    const { key } = (await upload(gateway, acme, file, name)).body;
    const { status, body } = await acme.api('POST', `${device.path}/messages`, { chat_id: ANNA, media_r2_key: key, ...order });
    if (status !== 202) return { refused: new RegExp(body.error) };
    await gateway.until(`${name} arrived`, () => arrived().length > before);
    const { file: shown, thumbnail, sticker, ...rest } = present(arrived()[0], name);
    const codes: readonly string[] = (body.warnings ?? []).map(({ code }: { code: string }) => code);
    assert.ok(codes.length <= 1, codes.join());
    const shows = { ...rest, file: shown?.content_type, thumbnail: thumbnail?.width, pack: sticker?.pack };
    return { shows, ...(codes.length === 1 && { warns: at(codes, 0) }) };
  };
}

function expectSame(what: string, found: Arrives, wanted: Arrives): void {
  if ('refused' in wanted) {
    assert.ok('refused' in found, `${what}: ${JSON.stringify(found)}`);
    return assert.match(found.refused.source, wanted.refused, what);
  }
  assert.ok('shows' in found, `${what}: ${JSON.stringify(found, (_, value) => (value instanceof RegExp ? value.source : value))}`);
  const shows = Object.fromEntries(Object.keys(wanted.shows).map((field) => [field, found.shows[field]]));
  assert.deepEqual({ shows, warns: found.warns }, { shows: wanted.shows, warns: wanted.warns }, what);
}

describe('the table of docs/media.md', () => {
  it('has exactly one row for each tested case', () => {
    const page = readFileSync(join(ROOT, 'docs/media.md'), 'utf8');
    assert.deepEqual(rowsOf(page), Object.keys(CASES));
  });

  for (const media_ffmpeg of ['auto', 'off'])
    it(`is correct ${media_ffmpeg === 'off' ? 'without' : 'with'} ffmpeg`, { skip: missing('ffmpeg') }, async (t) => {
      const send = await aShop(t, media_ffmpeg);
      for (const [row, { orders, files, arrives, without }] of Object.entries(CASES))
        for (const [extension, file] of Object.entries(files()))
          for (const order of orders) {
            const found = await send(order, await file, `a.${extension}`);
            expectSame(`${row} (${extension})`, found, media_ffmpeg === 'off' ? (without ?? arrives) : arrives);
          }
    });
});
