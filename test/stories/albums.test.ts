import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { LimitsInMemory } from '../../http/limits/limits.ts';
import { aFileServer } from '../actors/services/media/file-server.ts';
import { MP4, PDF, upload } from '../actors/services/media/files.ts';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { NEVER_FULL } from '../support/limits.ts';
import { eachStore, embedded, type Scope, type StoreKind } from '../support/stores.ts';

const photo = (width: number): Promise<Buffer> =>
  sharp({ create: { width, height: 40, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer();

const MB = 1024 * 1024;

/** `/sized/…` names 24 MB and sends nothing of it, `/endless` sends for ever without a size, `/gone` is not there. */
function answerTo(path: string, response: ServerResponse, bytes: Buffer, sent: { bytes: number }): void {
  if (path === '/gone') return void response.writeHead(404).end();
  if (path.startsWith('/sized/')) return response.writeHead(200, { 'content-length': 24 * MB }).flushHeaders();
  if (path !== '/endless') return void response.end(bytes);
  const more = (): void => {
    sent.bytes += MB;
    if (!response.destroyed) response.write(Buffer.alloc(MB), more);
  };
  more();
}

async function aShop(t: Scope, kind: StoreKind, limits = NEVER_FULL) {
  const bytes = await photo(90);
  const sent = { bytes: 0 };
  const server = await aFileServer(t, (path, response) => answerTo(path, response, bytes, sent));
  const gateway = await aGateway(t, { kind, limits, config: { egress_allow_reads: [server.place] } });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const keyOf = async (file: Buffer, name = 'a.jpg'): Promise<string> => (await upload(gateway, acme, file, name)).body.key;
  const send = (media: object[], more: object = {}, headers = {}) =>
    acme.api('POST', `${device.path}/messages/album`, { chat_id: ANNA, media, ...more }, headers);
  const shown = () => sandboxVerbs(gateway.sandbox).messages(ANNA).messages.toReversed();
  const stored = async () => (await acme.api('GET', `${device.path}/messages`)).body.messages;
  return { gateway, acme, device, server, sent, keyOf, send, shown, stored };
}

eachStore('an album', (kind) => {
  it('is sent in the order given in the request, and only once per idempotency key', async (t) => {
    const { gateway, device, server, keyOf, send, shown } = await aShop(t, kind);
    const media = [
      { media_r2_key: await keyOf(await photo(60)), caption: 'first' },
      { url: `${server.url}/b.jpg` },
      { media_r2_key: await keyOf(await photo(70)), caption: 'third' },
    ];
    const { status, body } = await send(media, {}, { 'idempotency-key': 'k1' });
    assert.equal(status, 202, JSON.stringify(body));
    assert.deepEqual(
      body.items.map((item: { status: string }) => item.status),
      ['queued', 'queued', 'queued'],
    );
    await gateway.until('all arrived', () => shown().length === 3);
    assert.deepEqual(
      shown().map(({ width, caption }) => [width, caption]),
      [
        [60, 'first'],
        [90, null],
        [70, 'third'],
      ],
    );
    assert.equal(new Set(shown().map(({ album_id }) => album_id)).size, 1);
    for (const { id } of body.items) assert.equal((await device.message(id)).album_id, body.id);
    const again = await send(media, {}, { 'idempotency-key': 'k1' });
    assert.deepEqual(
      again.body.items.map((item: object) => item),
      body.items.map((item: object) => ({ ...item, idempotent_replay: true })),
    );
    assert.equal((await send(media.toReversed(), {}, { 'idempotency-key': 'k1' })).body.code, 'IDEMPOTENCY_KEY_REUSED');
    assert.equal(server.asked.length, 1);
  });
});

describe('an album', () => {
  it('is rejected as a whole if one file is invalid', async (t) => {
    const { acme, server, keyOf, send, stored } = await aShop(t, embedded);
    const good = { media_r2_key: await keyOf(await photo(60)) };
    const before = (await acme.api('GET', '/v1/media')).body.media.length;
    const text = { media_r2_key: await keyOf(PDF, 'a.pdf') };
    const refused: [object[], string][] = [
      [[good, text], 'media.1.media_r2_key'],
      [[{ url: `${server.url}/b.jpg` }, text], 'media.1.media_r2_key'],
      [[good], 'media'],
      [Array.from({ length: 31 }, () => good), 'media'],
      [[good, {}], 'media.1.media_r2_key'],
      [[good, { ...good, url: 'https://a.id/b' }], 'media.1.media_r2_key'],
    ];
    for (const [media, path] of refused) {
      const { status, body } = await send(media);
      assert.deepEqual([status, body.details?.[0]?.path], [400, path], JSON.stringify(body));
    }
    assert.equal((await send([good, { media_r2_key: 'med_unknown' }])).status, 404);
    assert.equal((await send([good, good], { chat_id: 'x@newsletter' })).status, 400);
    assert.deepEqual(await stored(), []);
    assert.equal((await acme.api('GET', '/v1/media')).body.media.length, before + 1);
  });

  it('is limited to a total of 64 MB', async (t) => {
    const { keyOf, send, stored } = await aShop(t, embedded);
    const large = { media_r2_key: await keyOf(Buffer.concat([MP4, Buffer.alloc(23 * 1024 * 1024)]), 'a.mp4') };
    const { status, body } = await send([large, large, large]);
    assert.deepEqual([status, body.code], [413, 'PAYLOAD_TOO_LARGE'], JSON.stringify(body));
    assert.deepEqual(await stored(), []);
  });

  it('is rejected before too many bytes are downloaded from its URLs', async (t) => {
    const { acme, server, sent, keyOf, send, stored } = await aShop(t, embedded);
    const large = { media_r2_key: await keyOf(Buffer.concat([MP4, Buffer.alloc(23 * MB)]), 'a.mp4') };
    const [sized, photoAt] = [{ url: `${server.url}/sized/1` }, { url: `${server.url}/b.jpg` }];
    const refusal = async (...media: object[]): Promise<string> => (await send(media)).body.code;
    assert.equal(await refusal(large, large, large, photoAt), 'PAYLOAD_TOO_LARGE');
    assert.deepEqual(server.asked, [], 'what is here is too much already');
    assert.equal(await refusal(photoAt, sized, sized, sized), 'PAYLOAD_TOO_LARGE');
    const endless = { url: `${server.url}/endless` };
    assert.equal(await refusal(large, large, endless), 'PAYLOAD_TOO_LARGE');
    assert.ok(sent.bytes < 64 * MB, `${sent.bytes} bytes were read`);
    assert.equal(await refusal(sized, { url: `${server.url}/gone` }), 'VALIDATION_FAILED');
    assert.deepEqual([await stored(), (await acme.api('GET', '/v1/media')).body.media.length], [[], 1]);
  });

  it('counts as one send per message, or as one call if it is rejected', async (t) => {
    const only = new LimitsInMemory();
    const of = (key: string) => (key.startsWith('send:') ? only : NEVER_FULL);
    const limits = {
      take: (...[key, ...rest]: Parameters<LimitsInMemory['take']>) => of(key).take(key, ...rest),
      takeAll: (...[windows, now]: Parameters<LimitsInMemory['takeAll']>) => of(windows[0]?.key ?? '').takeAll(windows, now),
    };
    const { acme, keyOf, send } = await aShop(t, embedded, limits);
    const one = { media_r2_key: await keyOf(await photo(60)) };
    const album = async (count: number) => (await send(Array.from({ length: count }, () => one))).status;
    const { send_per_minute } = (await acme.api('GET', '/v1/billing/plans')).body.plans[0];
    assert.equal(send_per_minute, 30);
    assert.deepEqual([await album(16), await album(15), await album(13), await album(2)], [202, 429, 202, 429]);
  });

  it('requires consent, and each of its waiting messages can be cancelled', async (t) => {
    const { gateway, acme, device, keyOf, send, shown } = await aShop(t, embedded);
    const one = { media_r2_key: await keyOf(await photo(60)) };
    await acme.api('PUT', '/v1/settings', { pacing: { min_delay_ms: 60_000, max_delay_ms: 60_000 } });
    const { items } = (await send([one, one, one])).body;
    const { status } = await acme.api('POST', `${device.path}/messages/${items[1].id}/cancel`);
    assert.equal(status, 200);
    await gateway.until('the others arrived', () => shown().length === 2);
    await acme.api('PUT', '/v1/consent/config', { enforce_api: true });
    await acme.api('PUT', `/v1/consent/${ANNA}`, { status: 'opted_out' });
    assert.equal((await send([one, one])).body.code, 'RECIPIENT_OPTED_OUT');
  });

  it('gets a unique album_id if it comes from a customer', async (t) => {
    const { gateway, acme, device } = await aShop(t, embedded);
    const phone = sandboxVerbs(gateway.sandbox);
    const file = { base64: (await photo(60)).toString('base64') };
    const part = { to: PHONE, type: 'image' as const, file };
    for (let nth = 0; nth < 2; nth += 1) phone.write(ANNA, { to: PHONE, type: 'album', media: [part, part] });
    const list = async () => (await acme.api('GET', `${device.path}/messages?direction=inbound`)).body.messages;
    const messages = await gateway.until('all came', async () => ((await list()).length === 4 ? list() : null));
    const ids = messages.map((one: { album_id?: string }) => one.album_id);
    assert.deepEqual([ids[0] === ids[1], ids[2] === ids[3], ids[0] === ids[2], typeof ids[0]], [true, true, false, 'string']);
  });
});
