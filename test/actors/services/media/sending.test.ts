import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs } from '../../../../actors/network/sandbox/api.ts';
import type { ShownMessage } from '../../../../actors/network/sandbox/phone-screen.ts';
import { ANNA, aGateway, type Gateway, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { got, MP4, OGG, PDF, PNG, sha256, upload, WEBP } from './files.ts';

const BEN = '6281211110002';

/** What a phone shows, oldest first. */
const shownOn = ({ sandbox }: Gateway, phone: string): readonly ShownMessage[] =>
  [...sandboxVerbs(sandbox).messages(phone).messages].reverse();

eachStore('a message with a file', (kind) => {
  it('arrives with all bytes, its name and its caption, for any file type', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    await acme.api('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
    const kinds: [string, Buffer, string, object][] = [
      ['image', PNG, 'menu.png', { caption: 'Today' }],
      ['video', MP4, 'tour.mp4', { caption: 'The shop' }],
      ['audio', OGG, 'hello.ogg', { voice_note: true, caption: 'which it has no place for' }],
      ['document', PDF, 'prices.pdf', {}],
      ['sticker', WEBP, 'cat.webp', { caption: 'neither' }],
    ];
    for (const [type, bytes, filename, more] of kinds) {
      const { key } = (await upload(gateway, acme, bytes, filename)).body;
      const sent = await acme.api('POST', `${device.path}/messages`, { chat_id: ANNA, type, media_r2_key: key, ...more });
      assert.equal(sent.status, 202, JSON.stringify(sent.body));
      const shown = await gateway.until(`the ${type} arrived`, () => shownOn(gateway, ANNA).find((one) => one.type === type));
      // A sticker is made of any picture.
      const asItIs = type === 'sticker' ? {} : { size: bytes.length, sha256: sha256(bytes) };
      assert.deepEqual({ ...shown.file, content_type: null }, { ...shown.file, content_type: null, filename, ...asItIs });
      const isIgnored = type === 'audio' || type === 'sticker';
      assert.equal(shown.caption, 'caption' in more && !isIgnored ? more.caption : null);
      assert.deepEqual(
        (sent.body.warnings ?? []).map(({ code }: { code: string }) => code),
        isIgnored ? ['FIELD_IGNORED'] : [],
      );
      assert.equal(shown.voice_note, type === 'audio' ? true : undefined);
      const { media_r2_key, body, media } = await device.message(sent.body.id);
      assert.deepEqual([media_r2_key, body, media.size], [key, shown.caption, bytes.length]);
      assert.deepEqual((await got(gateway, acme, `${device.path}/messages/${sent.body.id}/media`)).bytes, bytes);
    }
  });

  it('can be forwarded', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const { key } = (await upload(gateway, acme, PNG, 'menu.png')).body;
    const { id } = (
      await acme.api('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'image', media_r2_key: key, caption: 'Today' })
    ).body;
    assert.equal((await acme.api('POST', `${device.path}/messages/${id}/forward`, { chat_id: BEN })).status, 202);
    const shown = await gateway.until('it arrived', () => shownOn(gateway, BEN)[0]);
    assert.deepEqual([shown.caption, shown.file?.sha256], ['Today', sha256(PNG)]);
  });

  it('is rejected if its file is unknown, missing, of another type or from another tenant', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const other = await gateway.signUp('Other', '+62 811-0000-8888');
    const device = await acme.linked(PHONE);
    const { key } = (await upload(gateway, acme, PDF)).body;
    const { key: theirs } = (await upload(gateway, other, PNG)).body;
    const send = async (type: string, more: object): Promise<string> =>
      (await acme.api('POST', `${device.path}/messages`, { chat_id: ANNA, type, ...more })).body.code;
    assert.equal(await send('image', { media_r2_key: 'med_00000000000000000000000000' }), 'NOT_FOUND');
    assert.equal(await send('image', { media_r2_key: '../../admin-secret' }), 'NOT_FOUND');
    assert.equal(await send('image', { media_r2_key: theirs }), 'NOT_FOUND');
    assert.equal(await send('image', { media_r2_key: key }), 'VALIDATION_FAILED');
    assert.equal(await send('sticker', {}), 'VALIDATION_FAILED');
    assert.equal(await send('document', { media_r2_key: key, url: 'https://example.com/list.pdf' }), 'VALIDATION_FAILED');
    assert.equal(await send('document', { media_r2_key: key, caption: 'x'.repeat(1_025) }), 'VALIDATION_FAILED');
    assert.deepEqual((await acme.api('GET', `${device.path}/messages`)).body.messages, []);
  });

  it('fails if its file was removed while it was queued', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    await acme.api('POST', `${device.path}/disconnect`);
    const { key } = (await upload(gateway, acme, PNG)).body;
    const order = { chat_id: ANNA, type: 'image', media_r2_key: key, connect_only: false };
    const { id } = (await acme.api('POST', `${device.path}/messages`, order)).body;
    await acme.api('DELETE', `/v1/media/${key}`);
    await acme.api('POST', `${device.path}/connect`);
    const failed = await gateway.until('it failed', async () => {
      const message = await device.message(id);
      return message.status === 'failed' && message;
    });
    assert.equal(failed.error, 'media_gone');
    assert.equal((await got(gateway, acme, `${device.path}/messages/${id}/media`)).status, 404);
  });
});
