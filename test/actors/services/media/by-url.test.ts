import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { it } from 'node:test';
import { sandboxVerbs } from '../../../../actors/network/sandbox/api.ts';
import { MAX_TENANT_DOWNLOADS } from '../../../../actors/services/media/fetcher.ts';
import type { Config } from '../../../../scripts/wiring/config.ts';
import { ANNA, type Answer, aGateway, type Device, type Gateway, PHONE, type Tenant } from '../../../support/gateway.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { aFileServer, type FileServer } from './file-server.ts';
import { MP4, PDF, PNG, pngOf, put, sha256 } from './files.ts';

const MB = 1024 * 1024;
const PARALLEL = 60;

interface Shop {
  readonly gateway: Gateway;
  readonly acme: Tenant;
  readonly device: Device;
  readonly server: FileServer;
  send(type: string, path: string, more?: object): Promise<Answer>;
}

async function aShop(t: Scope, kind: StoreKind, answers = answer, config: Partial<Config> = {}): Promise<Shop> {
  const server = await aFileServer(t, answers);
  const gateway = await aGateway(t, { kind, config: { egress_allow_reads: [server.place], ...config } });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const send = (type: string, path: string, more: object = {}) =>
    acme.api('POST', `${device.path}/messages`, { chat_id: ANNA, type, url: `${server.url}${path}`, ...more });
  return { gateway, acme, device, server, send };
}

function answer(path: string, response: ServerResponse): void {
  const hops = /^\/hops\/(\d)$/.exec(path);
  if (hops) return void response.writeHead(302, { location: hops[1] === '0' ? '/menu.png' : `/hops/${Number(hops[1]) - 1}` }).end();
  if (path.startsWith('/menu.png')) return void response.writeHead(200, { 'content-type': 'text/html' }).end(PNG);
  if (path === '/list') return void response.end(PDF);
  if (path === '/clip') return void response.end(MP4);
  if (path === '/zipped') return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(PNG);
  if (path === '/liar') return void response.writeHead(200, { 'transfer-encoding': 'chunked' }).end(pngOf(25 * MB + 1));
  if (path === '/large') return void response.writeHead(200, { 'content-length': 30 * MB }).flushHeaders();
  if (path === '/cut') return void response.writeHead(200, { 'content-length': 1_000 }).write(PNG, () => response.destroy());
  if (path === '/inside') return void response.writeHead(302, { location: 'http://127.0.0.1:1/secret' }).end();
  response.writeHead(404).end();
}

eachStore('a message with a file URL', (kind) => {
  it('delivers the bytes from its URL, even after three redirects', async (t) => {
    const { gateway, acme, send } = await aShop(t, kind);
    for (const path of ['/menu.png?size=1', '/hops/2']) assert.equal((await send('image', path)).status, 202, path);
    const shown = () => sandboxVerbs(gateway.sandbox).messages(ANNA).messages;
    await gateway.until('both arrived', () => shown().length === 2);
    for (const { file } of shown()) assert.deepEqual([file?.sha256, file?.filename], [sha256(PNG), 'menu.png']);
    const { media } = (await acme.api('GET', '/v1/media')).body;
    assert.deepEqual(
      media.map((one: { content_type: string }) => one.content_type),
      ['image/png', 'image/png'],
    );
  });

  it('gets its file type from its bytes, or else from its file name', async (t) => {
    const { acme, send } = await aShop(t, kind);
    const typeOf = async (type: string, path: string, filename?: string) => {
      const sent = await send(type, path, filename === undefined ? {} : { filename });
      return sent.status === 202 ? (await acme.api('GET', '/v1/media?limit=1')).body.media[0].content_type : sent.body.code;
    };
    assert.equal(await typeOf('document', '/list', 'photo.png'), 'application/pdf');
    assert.equal(await typeOf('video', '/clip', 'tour.mp4'), 'video/mp4');
    assert.equal(await typeOf('audio', '/clip', 'song.m4a'), 'audio/mp4');
    const before = (await acme.api('GET', '/v1/media')).body.media.length;
    assert.equal(await typeOf('image', '/list', 'photo.png'), 'VALIDATION_FAILED');
    assert.equal((await acme.api('GET', '/v1/media')).body.media.length, before);
  });

  it('is rejected and stores no file if the file is missing, too large or on a private host', async (t) => {
    const { acme, server, send } = await aShop(t, kind);
    const refused: [string, string][] = [
      ['/nothing', 'VALIDATION_FAILED'],
      ['/hops/3', 'VALIDATION_FAILED'],
      ['/zipped', 'VALIDATION_FAILED'],
      ['/cut', 'VALIDATION_FAILED'],
      ['/large', 'PAYLOAD_TOO_LARGE'],
      ['/liar', 'PAYLOAD_TOO_LARGE'],
      ['/inside', 'URL_BLOCKED'],
    ];
    for (const [path, code] of refused) assert.equal((await send('image', path)).body.code, code, path);
    const asked = server.asked.length;
    assert.equal((await send('image', '/menu.png', { chat_id: 'nonsense' })).body.code, 'INVALID_NUMBER');
    assert.equal((await send('image', '/menu.png', { url: 'http://10.0.0.1/x.png' })).body.code, 'URL_BLOCKED');
    assert.equal((await send('image', '/menu.png', { url: 'nonsense' })).body.code, 'VALIDATION_FAILED');
    assert.equal(server.asked.length, asked);
    assert.deepEqual((await acme.api('GET', '/v1/media')).body.media, []);
  });

  it('leaves no file behind if the message is rejected after the download', async (t) => {
    const { gateway, acme, device, server, send } = await aShop(t, kind, answer, { queue_limit: 1 });
    const { key } = (await put(gateway, acme, '/v1/media/upload', PNG)).body;
    await gateway.during(acme.api('POST', `${device.path}/disconnect`));
    const waits = { connect_only: false };
    assert.equal((await send('image', '/menu.png', waits)).status, 202);
    const image = { chat_id: ANNA, type: 'image', ...waits };
    const messages = [
      { ...image, url: `${server.url}/menu.png` },
      { ...image, media_r2_key: key },
    ];
    const bulk = (await acme.api('POST', `${device.path}/messages/bulk`, { messages })).body.results;
    assert.deepEqual(
      [(await send('image', '/menu.png', waits)).body, ...bulk].map(({ code }) => code),
      ['OVERLOADED', 'OVERLOADED', 'OVERLOADED'],
    );
    assert.equal(server.asked.length, 3);
    const kept: readonly { key: string }[] = (await acme.api('GET', '/v1/media')).body.media;
    assert.deepEqual([kept.length, kept.some((one) => one.key === key)], [2, true]);
  });

  it('does not delay other businesses if its host is slow', async (t) => {
    const silent: ServerResponse[] = [];
    const { gateway, server, send } = await aShop(t, kind, (path, response) =>
      path === '/silent' ? void silent.push(response) : answer(path, response),
    );
    const bakery = await gateway.signUp('Bakery', '+62 811-0000-7777');
    const other = await bakery.linked('6281100000007');
    const statuses: number[] = [];
    const flood = Promise.all(Array.from({ length: PARALLEL }, async () => statuses.push((await send('image', '/silent')).status)));
    await gateway.until('all that one business may have at once is at work', () => silent.length === MAX_TENANT_DOWNLOADS);
    const order = { chat_id: ANNA, type: 'image', url: `${server.url}/menu.png` };
    assert.equal((await bakery.api('POST', `${other.path}/messages`, order)).status, 202);
    assert.deepEqual([statuses, silent.length], [[], MAX_TENANT_DOWNLOADS]);
    for (let answered = 0; answered < PARALLEL; answered += 1) {
      await gateway.until('the next one is asked for', () => silent.length > answered);
      silent[answered]?.end(PNG);
    }
    await flood;
    assert.deepEqual([...new Set(statuses)], [202]);
  });

  it('leaves no file behind if it is scheduled, then deleted while its file is downloaded', async (t) => {
    const waiting: ServerResponse[] = [];
    const { gateway, acme, device, server } = await aShop(t, kind, (_path, response) => waiting.push(response));
    const path = `${device.path}/scheduled`;
    const later = { chat_id: ANNA, type: 'text', body: 'Hi', scheduled_at: gateway.clock.now() + 3_600_000 };
    const { id } = (await acme.api('POST', path, later)).body;
    const change = acme.api('PATCH', `${path}/${id}`, { type: 'image', url: `${server.url}/menu.png` });
    await gateway.until('it is being downloaded', () => waiting.length === 1);
    assert.equal((await acme.api('DELETE', `${path}/${id}`)).status, 200);
    waiting[0]?.end(PNG);
    assert.equal((await change).body.code, 'CONFLICT');
    assert.deepEqual((await acme.api('GET', '/v1/media')).body.media, []);
  });
});
