import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { LimitsInMemory } from '../../http/limits/limits.ts';
import { messagesIn } from '../../store/messaging/messages.ts';
import { aFileServer } from '../actors/services/media/file-server.ts';
import { upload } from '../actors/services/media/files.ts';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { NEVER_FULL } from '../support/limits.ts';
import { eachStore, embedded, type Scope, type StoreKind } from '../support/stores.ts';

const BUDI = '6281211110002';
const photo = (): Promise<Buffer> =>
  sharp({ create: { width: 1_200, height: 630, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer();
const page = (title: string): string =>
  `<html><head><title>${title}</title><meta property="og:description" content="Fresh"><meta property="og:image" content="/photo.jpg"></head>`;

function* noise(): Generator<string> {
  for (;;) yield 'x'.repeat(64 * 1024);
}

async function aShop(t: Scope, kind: StoreKind, limits = NEVER_FULL) {
  const agents = new Set<string | undefined>();
  const server = await aFileServer(t, (path: string, response: ServerResponse & { readonly req: IncomingMessage }) => {
    agents.add(response.req.headers['user-agent']);
    if (path === '/silent') return;
    if (path === '/photo.jpg') return void photo().then((bytes) => response.end(bytes));
    if (path === '/large' || path === '/endless') {
      response.writeHead(200, { 'content-type': 'text/html' }).write(`${page(`Kopi ${path}`)}<script>`);
      if (path === '/large') return void response.end(`${'x'.repeat(2_000_000)}</script></head><body>`);
      return void Readable.from(noise(), { objectMode: false }).pipe(response);
    }
    if (path === '/gone') return void response.writeHead(404).end();
    if (path === '/inside') return void response.writeHead(302, { location: 'http://169.254.169.254/x' }).end();
    response.writeHead(200, { 'content-type': 'text/html' }).end(page(`Kopi ${path}`));
  });
  const gateway = await aGateway(t, { kind, limits, config: { egress_allow_reads: [server.place] } });
  const acme = await gateway.signUp();
  const pacing = { min_delay_ms: 0, max_delay_ms: 0, typing: false };
  assert.equal((await acme.api('PUT', '/v1/settings', { pacing, warmup: { enabled: false } })).status, 200);
  const device = await acme.linked(PHONE);
  const send = async (body: string, more: object = { link_preview: true }, to = ANNA) => {
    const { status, body: answer } = await acme.api('POST', `${device.path}/messages`, { chat_id: to, type: 'text', body, ...more });
    assert.equal(status, 202, JSON.stringify(answer));
    return answer;
  };
  const rows = messagesIn(gateway.store);
  /** Pages come in real time, of which the clock of the story knows nothing. */
  const settled = async (id: string): Promise<void> => {
    for (let tries = 0; tries < 1_000; tries += 1) {
      const row = await rows.find(acme.id, device.id, id);
      if (row?.parts.preview?.title !== undefined || row?.parts.preview?.failed) return;
      if (row?.status === 'queued') await gateway.clock.advance(100);
      else await sleep(10);
    }
    assert.fail(`no preview was had or given up: ${JSON.stringify(await rows.find(acme.id, device.id, id))}`);
  };
  const shown = (to = ANNA) => sandboxVerbs(gateway.sandbox).messages(to).messages;
  const arrives = (body: string, to = ANNA) => gateway.until(body, () => shown(to).find((one) => one.body === body));
  return { gateway, acme, device, server, agents, send, settled, shown, arrives };
}

eachStore('a link in a message', (kind) => {
  it('gets a preview if the caller requests one, and its page is fetched only once', async (t) => {
    const { device, server, agents, send, settled, arrives } = await aShop(t, kind);
    for (const body of [`Menu: ${server.url}/menu.`, `Again ${server.url}/menu`]) {
      const { id, warnings } = await send(body);
      assert.equal(warnings, undefined);
      await settled(id);
      const { preview } = await arrives(body);
      assert.deepEqual([preview?.title, preview?.url, preview?.picture?.width], ['Kopi /menu', `${server.url}/menu`, 192]);
      const entry = await device.message(id);
      assert.deepEqual([entry.link_preview, entry.warnings, entry.preview], [true, undefined, undefined]);
    }
    assert.deepEqual(server.asked, ['/menu', '/photo.jpg']);
    assert.deepEqual([...agents], ['gateway-link-preview/1']);
  });
});

describe('a link preview', () => {
  it('never prevents a send, but adds a warning if it is unavailable', async (t) => {
    const { acme, device, server, send, settled, arrives } = await aShop(t, embedded);
    const codes = (warnings: { code: string }[] = []) => warnings.map(({ code }) => code);
    for (const path of ['/gone', '/inside']) {
      const { id, warnings } = await send(`first ${server.url}${path}`);
      assert.deepEqual(codes(warnings), []);
      await settled(id);
      assert.equal((await arrives(`first ${server.url}${path}`)).preview, undefined);
      assert.deepEqual(codes((await device.message(id)).warnings), ['PREVIEW_UNAVAILABLE']);
      const again = await send(`second ${server.url}${path}`);
      assert.deepEqual(codes(again.warnings), ['PREVIEW_UNAVAILABLE']);
    }
    const { port } = new URL(server.url);
    // These addresses lead to the server, but none of them may be read.
    const refused = [`http://localhost:${port}/refused`, `http://[::ffff:127.0.0.1]:${port}/refused`];
    for (const body of ['no link', 'https://10.0.0.1/x', 'https://127.0.0.1/x', ...refused])
      assert.deepEqual(codes((await send(body)).warnings), ['PREVIEW_UNAVAILABLE'], body);
    assert.deepEqual(server.asked, ['/gone', '/inside']);
    const inId = await acme.api('GET', `${device.path}/messages/${(await send('no link')).id}`, undefined, { 'accept-language': 'id' });
    assert.equal(inId.status, 200);
  });

  it('delays its own chat by about seven seconds, but does not delay other chats', async (t) => {
    const { gateway, server, send, shown } = await aShop(t, embedded);
    for (const to of [ANNA, BUDI]) gateway.sandbox.phone(to).write({ to: PHONE, content: { type: 'text', body: 'hello' } });
    const slow = `slow ${server.url}/silent`;
    await send(slow);
    await send('behind it', {});
    await send('to somebody else', {}, BUDI);
    const began = gateway.clock.now();
    const at = async (body: string, to: string): Promise<number> => {
      await gateway.until(body, () => shown(to).some((one) => one.body === body));
      return gateway.clock.now() - began;
    };
    assert.ok((await at('to somebody else', BUDI)) < 5_000);
    assert.deepEqual(shown(ANNA), []);
    const waited = await at('behind it', ANNA);
    assert.ok(waited >= 6_000 && waited <= 9_000, `${waited}`);
    assert.deepEqual(
      shown(ANNA).map(({ body }) => body),
      ['behind it', slow],
    );
  });

  it('is added only if the caller requests or supplies it', async (t) => {
    const { gateway, acme, server, send, arrives } = await aShop(t, embedded);
    const link = `${server.url}/menu`;
    for (const more of [{}, { link_preview: false }]) {
      const body = `${JSON.stringify(more)} ${link} https://example.com/a`;
      await send(body, more);
      assert.equal((await arrives(body)).preview, undefined);
    }
    const { key } = (await upload(gateway, acme, await photo(), 'menu.jpg')).body;
    await send(`own ${link}`, { link_preview: { title: 'Our menu', description: 'Of today', url: link, media_r2_key: key } });
    const { preview } = await arrives(`own ${link}`);
    assert.deepEqual([preview?.title, preview?.url, preview?.picture?.width], ['Our menu', link, 192]);
    assert.deepEqual(server.asked, []);
  });

  it('uses only the first 256 KB of a page', async (t) => {
    const { server, send, settled, arrives } = await aShop(t, embedded);
    for (const path of ['/large', '/endless']) {
      const { id } = await send(`see ${server.url}${path}`);
      await settled(id);
      const { preview } = await arrives(`see ${server.url}${path}`);
      assert.deepEqual([preview?.title, preview?.picture?.width], [`Kopi ${path}`, 192]);
    }
  });

  it('shows the group or channel of an invite link without fetching a page', async (t) => {
    const { gateway, acme, device, server, send, arrives } = await aShop(t, embedded);
    const { id: group } = (
      await gateway.during(acme.api('POST', `${device.path}/groups`, { subject: 'Pelanggan Kopi', participants: [ANNA] }))
    ).body;
    const { url } = (await gateway.during(acme.api('GET', `${device.path}/groups/${group}/invite`))).body;
    const channel = (await gateway.during(acme.api('POST', `${device.path}/channels`, { name: 'Kopi Acme', description: 'News' }))).body;
    const invitations = [
      [url, 'Pelanggan Kopi', null],
      [`https://whatsapp.com/channel/${channel.code}`, 'Kopi Acme', 'News'],
    ];
    for (const [link, title, description] of invitations) {
      assert.equal((await send(`join ${link}`)).warnings, undefined);
      const { preview } = await arrives(`join ${link}`);
      assert.deepEqual([preview?.title, preview?.description, preview?.url], [title, description, link]);
    }
    // A campaign with this link does not ask the network once for each message.
    const renamed = await gateway.during(acme.api('PATCH', `${device.path}/groups/${group}`, { subject: 'Renamed' }));
    assert.equal(renamed.status, 200);
    await send(`again ${url}`);
    assert.equal((await arrives(`again ${url}`)).preview?.title, 'Pelanggan Kopi');
    assert.deepEqual(server.asked, []);
  });

  it('is rejected if its link is not in the text or its picture is invalid', async (t) => {
    const { gateway, acme, device } = await aShop(t, embedded);
    const { key } = (await upload(gateway, acme, Buffer.from('just a text'), 'a.txt')).body;
    const refusal = async (link_preview: object): Promise<string> => {
      const asked = { chat_id: ANNA, type: 'text', body: 'see https://a.id', link_preview };
      const { status, body } = await acme.api('POST', `${device.path}/messages`, asked);
      return `${status} ${body.details?.[0]?.path ?? body.code}`;
    };
    assert.equal(await refusal({ title: 'x', url: 'https://b.id' }), '400 link_preview.url');
    assert.equal(await refusal({ title: 'x', media_r2_key: key }), '400 link_preview.media_r2_key');
    assert.equal(await refusal({ title: 'x', media_r2_key: 'med_unknown' }), '404 NOT_FOUND');
  });

  it('is fetched at most sixty times a minute per business, however many hosts are involved', async (t) => {
    const only = new LimitsInMemory();
    const limits = {
      ...NEVER_FULL,
      take: (...[key, ...rest]: Parameters<LimitsInMemory['take']>) =>
        (key.startsWith('link-previews:') ? only : NEVER_FULL).take(key, ...rest),
    };
    const { device, server, send, settled } = await aShop(t, embedded, limits);
    const ids: string[] = [];
    for (let nth = 0; nth < 61; nth += 1) ids.push((await send(`x ${server.url}/${nth}`)).id);
    for (const id of ids) await settled(id);
    const failed = await Promise.all(ids.map(async (id) => (await device.message(id)).warnings !== undefined));
    assert.equal(failed.filter(Boolean).length, 1);
    assert.equal(server.asked.filter((path) => path !== '/photo.jpg').length, 60);
  });
});
