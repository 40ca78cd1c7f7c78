import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { sandboxVerbs } from '../../../../actors/network/sandbox/api.ts';
import { picture } from '../../../../actors/services/media/convert/image.ts';
import { sticker } from '../../../../actors/services/media/convert/sticker.ts';
import { Unconvertible } from '../../../../actors/services/media/convert/unconvertible.ts';
import { present } from '../../../../runtime/invariant.ts';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { upload } from './files.ts';

/** Left half red, right half blue. */
const half = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'red' } }).composite([
    { input: { create: { width: width / 2, height, channels: 3, background: 'blue' } }, left: width / 2, top: 0 },
  ]);

const photo = (width = 400, height = 200, orientation = 1): Promise<Buffer> =>
  half(width, height)
    .jpeg()
    .withExif({ IFD0: { Make: 'Secret camera', Artist: 'Dora' }, IFD3: { GPSLatitude: '1/1 2/1 3/1' } })
    .withMetadata({ orientation })
    .toBuffer();

const pack = { id: 'x', name: 'Lunch “menu” 🍜', publisher: 'Acme', emojis: ['😀'] };

describe('a picture', () => {
  it('is sent upright and without camera or location metadata', async () => {
    for (const orientation of [1, 6]) {
      const { notes, bytes = Buffer.alloc(0) } = await picture(await photo(400, 200, orientation), 1_600);
      const { width, height, exif } = await sharp(bytes).metadata();
      assert.deepEqual([width, height, exif], orientation === 1 ? [400, 200, undefined] : [200, 400, undefined]);
      assert.deepEqual([notes.width, notes.height], [width, height]);
      for (const word of ['Exif', 'GPS', 'Secret', 'Dora', 'http://ns.adobe.com']) assert.ok(!bytes.includes(word), word);
      const small = await sharp(Buffer.from(present(notes.thumbnail, 'the thumbnail'), 'base64')).metadata();
      assert.deepEqual([small.format, Math.max(small.width, small.height)], ['jpeg', 100]);
    }
  });

  it('is scaled down to the maximum size, and its transparency becomes white', async () => {
    const clear = await sharp({ create: { width: 3_000, height: 1_500, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
      .png()
      .toBuffer();
    const { notes, bytes } = await picture(clear, 1_600);
    assert.deepEqual([notes.width, notes.height], [1_600, 800]);
    const [red, green, blue] = await sharp(present(bytes, 'bytes')).raw().toBuffer();
    assert.deepEqual([red, green, blue], [255, 255, 255]);
  });

  it('is rejected with a reason if it has too many pixels or cannot be read', async () => {
    const reasonOf = (file: Buffer): Promise<string> =>
      picture(file, 1_600).then(
        () => 'made',
        (cause) => (cause instanceof Unconvertible ? cause.reason : String(cause)),
      );
    const huge = await sharp({ create: { width: 8_000, height: 7_000, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    assert.equal(await reasonOf(huge), 'too_many_pixels');
    assert.equal(await reasonOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')), 'unreadable');
    assert.notEqual(await reasonOf((await photo(800, 800)).subarray(0, 2_000)), 'made');
  });
});

describe('a sticker', () => {
  it("becomes a 512 × 512 WebP with the pack's names, whatever the source picture", async () => {
    const { bytes = Buffer.alloc(0), notes } = await sticker(await photo(), { pack, isAsked: true });
    const { width, height, format } = await sharp(bytes).metadata();
    assert.deepEqual([width, height, format, notes.animated], [512, 512, 'webp', undefined]);
    assert.ok(bytes.length <= 100_000 && bytes.includes(JSON.stringify(pack.name)), String(bytes.length));
    const again = await sticker(bytes, { pack: { ...pack, name: 'Other' }, isAsked: false });
    assert.equal(again.bytes, undefined, 'it is one already');
  });

  it('is animated if it is made from an animated GIF', async () => {
    const frames = await Promise.all(
      ['red', 'blue', 'green'].map((background) =>
        sharp({ create: { width: 60, height: 40, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const gif = await sharp(frames, { join: { animated: true } })
      .gif({ delay: [100, 100, 100] })
      .toBuffer();
    const { bytes, notes } = await sticker(gif, { pack, isAsked: true });
    const { pages, width, pageHeight } = await sharp(present(bytes, 'bytes'), { animated: true }).metadata();
    assert.deepEqual([notes.animated, pages, width, pageHeight], [true, 3, 512, 512]);
  });
});

eachStore('a sent picture', (kind) => {
  it('arrives upright, scaled down and without metadata, while the log keeps the original', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const file = await photo(2_000, 1_000, 6);
    const { key, width } = (await upload(gateway, acme, file, 'menu.jpg')).body;
    assert.equal(width, 1_000);
    const sent = await acme.api('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'image', media_r2_key: key });
    assert.equal(sent.status, 202, JSON.stringify(sent.body));
    const shown = await gateway.until('it arrived', () => sandboxVerbs(gateway.sandbox).messages(ANNA).messages[0]);
    assert.deepEqual([shown.width, shown.height, shown.thumbnail?.height], [800, 1_600, 100]);
    assert.equal((await device.message(sent.body.id)).media.size, file.length);
  });
});
