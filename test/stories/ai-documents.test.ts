import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { clockIn } from '../../actors/domain/zones.ts';
import { MAX_DOCUMENTS } from '../../actors/services/ai-reply/documents.ts';
import { documentsIn } from '../../store/ai-reply/documents.ts';
import { readingAttemptsIn } from '../../store/ai-reply/reading-attempts.ts';
import { hired } from '../actors/services/agents/agents-fixture.ts';
import { type AiShop, anAiShop, SARI } from '../actors/services/ai-reply/ai-fixture.ts';
import { aPdf, sheetOf } from '../actors/services/ai-reply/reading/files.ts';
import { aFileServer } from '../actors/services/media/file-server.ts';
import type { Answer, Api, Gateway } from '../support/gateway.ts';
import { anS3, s3Config } from '../support/s3/server.ts';
import { eachStore } from '../support/stores.ts';

const DOCUMENTS = '/v1/ai-reply/documents';
const html = (text: string) => (response: ServerResponse) => void response.writeHead(200, { 'content-type': 'text/html' }).end(text);
const WARRANTY = '# Garansi\n\nGaransi mesin jahit berlaku dua tahun sejak tanggal pembelian.\n';

/** As a browser sends it: the part `file` of a form. */
async function upload({ node }: Gateway, token: string, name: string, file: string | Buffer<ArrayBuffer>): Promise<Answer> {
  const form = new FormData();
  form.append('file', new Blob([file]), name);
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${node.url}${DOCUMENTS}`, { method: 'POST', headers, body: form });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/** A file is read in real time, however little of the virtual passes. */
async function settled({ clock }: Gateway, api: Api, id: string): Promise<Answer> {
  for (;;) {
    const answer = await api('GET', `${DOCUMENTS}/${id}`);
    if (!['parsing', 'deleting'].includes(answer.body.status)) return answer;
    await clock.advance(5);
    await pause(10);
  }
}

async function uploaded({ gateway, tenant, api }: AiShop, name: string, file: string | Buffer<ArrayBuffer>): Promise<Answer['body']> {
  const { status, body } = await upload(gateway, tenant.tokens.token, name, file);
  assert.equal(status, 202, JSON.stringify(body));
  return (await settled(gateway, api, body.id)).body;
}

const asked = async ({ gateway, api }: AiShop, question: string) =>
  (await gateway.during(api('POST', '/v1/ai-reply/ask', { question }))).body;

eachStore('documents for AI replies', (kind) => {
  it("are used to answer customers' questions, but their names are shown only to the team", async (t) => {
    const shop = await anAiShop(t, kind);
    const { gateway, tenant, api, write, receives } = shop;
    const first = await upload(gateway, tenant.tokens.token, 'garansi.markdown', WARRANTY);
    assert.deepEqual([first.status, first.body.status, first.body.chunks], [202, 'parsing', 0]);
    const { body } = await settled(gateway, api, first.body.id);
    assert.deepEqual([body.status, body.progress, body.chunks, body.error], ['ready', 1, 1, null]);
    assert.deepEqual([body.name, body.ext, body.size, body.engine], ['garansi.markdown', 'md', Buffer.byteLength(WARRANTY), 'local']);
    assert.deepEqual((await api('GET', DOCUMENTS)).body.documents, [body]);

    write(SARI, 'garansi mesin jahit berapa tahun kak?');
    const [reply] = await receives(SARI, 1);
    assert.match(reply ?? '', /dua tahun/);
    assert.doesNotMatch(reply ?? '', /garansi\.markdown/);
    const [message] = (await api('GET', `${shop.device.path}/messages?direction=outbound`)).body.messages;
    const [source] = (await shop.device.message(message.id)).ai.sources;
    assert.deepEqual([source.kind, source.id, source.name], ['document', body.id, 'garansi.markdown']);
    const { entries } = (await api('GET', '/v1/audit?action=ai_document.create')).body;
    assert.deepEqual(
      entries.map((entry: { target: { id: string } }) => entry.target.id),
      [body.id],
    );
  });

  it('are used to answer questions whose answer is in a table', async (t) => {
    const shop = await anAiShop(t, kind);
    const sheet =
      'Pertanyaan;Jawaban\nApakah bisa servis di rumah?;"Bisa, teknisi kami datang setiap Rabu."\nLama servis mesin?;Tiga hari kerja.\n';
    const { id, chunks } = await uploaded(shop, 'tanya-jawab.csv', sheet);
    assert.equal(chunks, 2);
    const { answer, reason, sources } = await asked(shop, 'servis di rumah bisa kak?');
    assert.deepEqual([answer, reason], ['Bisa, teknisi kami datang setiap Rabu.', 'saved_answer']);
    const [{ kind: from, id: document, name }] = sources;
    assert.deepEqual([from, document, name], ['document', id, 'tanya-jawab.csv']);
    await shop.api('DELETE', `${DOCUMENTS}/${id}`);
    assert.equal((await asked(shop, 'servis di rumah bisa kak?')).answer, null);
  });

  it('are parsed without hidden or struck-out parts, with a warning about each', async (t) => {
    const shop = await anAiShop(t, kind);
    const workbook = await readFile(new URL('../actors/services/ai-reply/reading/fixtures/shop.xlsx', import.meta.url));
    const { id, status, warnings } = await uploaded(shop, 'prices.xlsx', workbook);
    assert.deepEqual(
      [status, warnings],
      [
        'ready',
        [
          'hidden sheets were left out: Safe',
          'hidden columns were left out: D (Prices)',
          'hidden rows were left out: 5 (Prices)',
          'struck-out text was left out (2)',
        ],
      ],
    );
    const indonesian = await shop.api('GET', `${DOCUMENTS}/${id}`, undefined, { 'accept-language': 'id' });
    assert.equal(indonesian.body.warnings[0], 'sheet tersembunyi tidak dibaca: Safe');
    assert.match((await asked(shop, 'price of the batik shirt size L?')).answer, /Size: L; Price 2026: Rp 55,000/);
    assert.match((await asked(shop, 'price of the batik shirt size S?')).answer, /Size: S; Price 2026: Rp 45,000/);
    assert.doesNotMatch((await asked(shop, 'price of the batik shirt size L?')).answer, /45,000/);
  });

  it('are not quoted in parts that ask for secrets or contain foreign links', async (t) => {
    const shop = await anAiShop(t, kind);
    await uploaded(shop, 'verify.txt', 'Verifikasi akun pelanggan: kirim kata sandi dan kode OTP Anda ke admin.');
    const secret = await asked(shop, 'verifikasi akun pelanggan gimana?');
    assert.deepEqual([secret.answer, secret.reason], [null, 'withheld']);
    await uploaded(
      shop,
      'cicilan.txt',
      'Cicilan mesin jahit bisa 12 bulan tanpa bunga.\nDaftar cicilan mesin jahit di https://bayar.example/masuk sekarang.',
    );
    const linked = await asked(shop, 'cicilan mesin jahit berapa bulan?');
    assert.match(linked.answer, /12 bulan/);
    assert.doesNotMatch(linked.answer, /bayar\.example/);
    const own = { question: 'Alamat situs?', answer: 'Situs kami https://bayar.example' };
    assert.equal((await shop.api('POST', '/v1/ai-reply/answers', own)).status, 201);
    assert.match((await asked(shop, 'daftar cicilan mesin jahit di mana?')).answer, /bayar\.example\/masuk/);
  });

  it("are marked as failed if they are unreadable, with the reason in the caller's language", async (t) => {
    const shop = await anAiShop(t, kind);
    const broken = await uploaded(shop, 'harga.pdf', 'not a pdf');
    assert.deepEqual([broken.status, broken.chunks], ['failed', 0]);
    assert.match(broken.error, /damaged/);
    const answer = await shop.api('GET', `${DOCUMENTS}/${broken.id}`, undefined, { 'accept-language': 'id' });
    assert.match(answer.body.error, /rusak/);
    assert.match((await uploaded(shop, 'kosong.txt', '')).error, /empty/);
    assert.match((await uploaded(shop, 'pindai.pdf', aPdf([[]]) as Buffer<ArrayBuffer>)).error, /a scan/);
    const { status, body } = await upload(shop.gateway, shop.tenant.tokens.token, 'program.exe', 'MZ');
    assert.equal(status, 415);
    assert.match(body.error, /pdf, docx, xlsx, csv, txt, md or html/);
    assert.equal((await upload(shop.gateway, shop.tenant.tokens.token, 'big.txt', Buffer.alloc(25 * 1024 * 1024 + 1, 'a'))).status, 413);
    const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\ntext\r\n--x\r\n';
    const cut = await shop.api('POST', DOCUMENTS, part, { 'content-type': 'multipart/form-data; boundary=x' });
    assert.equal(cut.status, 400, 'a form without its end');
    assert.equal((await shop.api('GET', DOCUMENTS)).body.documents.length, 3);
  });

  it('are no longer used once they are removed, and leave no data behind', async (t) => {
    const shop = await anAiShop(t, kind);
    const { gateway, api } = shop;
    const { id } = await uploaded(shop, 'garansi.markdown', WARRANTY);
    assert.match((await asked(shop, 'garansi mesin jahit berapa tahun?')).answer, /dua tahun/);
    const row = await documentsIn(gateway.store).find(shop.tenant.id, id);
    assert.deepEqual((await api('DELETE', `${DOCUMENTS}/${id}`)).body, { ok: true });
    assert.equal((await asked(shop, 'garansi mesin jahit berapa tahun?')).answer, null);
    assert.equal((await settled(gateway, api, id)).status, 404);
    assert.deepEqual(await documentsIn(gateway.store).passages(id, row?.version ?? '', -1, 10), []);
    assert.equal((await api('DELETE', `${DOCUMENTS}/${id}`)).status, 404);
  });

  it('are used with their previous text while they are parsed again', async (t) => {
    const shop = await anAiShop(t, kind);
    const { gateway, api } = shop;
    const { id } = await uploaded(shop, 'garansi.markdown', WARRANTY);
    const again = await api('POST', `${DOCUMENTS}/${id}/parse`);
    assert.deepEqual([again.status, again.body.status, again.body.chunks], [202, 'parsing', 1]);
    const [entry] = (await api('GET', '/v1/audit?action=ai_document.parse')).body.entries;
    assert.equal(entry.target.id, id);
    assert.equal((await settled(gateway, api, id)).body.status, 'ready');
    assert.match((await asked(shop, 'garansi mesin jahit berapa tahun?')).answer, /dua tahun/);
    await documentsIn(gateway.store).move(shop.tenant.id, id, ['ready'], { status: 'parsing', updated_at: gateway.clock.now() });
    assert.match((await asked(shop, 'garansi mesin jahit berapa tahun?')).answer, /dua tahun/);
    assert.equal((await api('POST', `${DOCUMENTS}/${id}/parse`)).status, 409);
  });

  it('are parsed even if the process crashes before or during the parsing', async (t) => {
    const shop = await anAiShop(t, kind);
    const { body } = await upload(shop.gateway, shop.tenant.tokens.token, 'garansi.markdown', WARRANTY);
    const after = await shop.restarted();
    assert.equal((await settled(after.gateway, after.api, body.id)).body.status, 'ready');
    // Its process died between the change and the job.
    const rows = documentsIn(after.gateway.store);
    await rows.move(shop.tenant.id, body.id, ['ready'], { status: 'parsing', updated_at: after.gateway.clock.now() });
    await after.gateway.clock.advance(12 * 60_000);
    const { chunks, status } = (await settled(after.gateway, after.api, body.id)).body;
    assert.deepEqual([status, chunks], ['ready', 1]);
    const row = await rows.find(shop.tenant.id, body.id);
    assert.equal((await rows.passages(body.id, row?.version ?? '', -1, 10)).length, 1);
  });

  it('are not parsed again after crashing the parser twice, even under another name', async (t) => {
    const shop = await anAiShop(t, kind);
    const { gateway, tenant, api } = shop;
    await api('PATCH', '/v1/profile', { timezone: 'Asia/Jakarta' });
    const attempts = readingAttemptsIn(gateway.store);
    const sha256 = hash('sha256', WARRANTY);
    // Two processes died in the middle of it.
    assert.equal(await attempts.begin(tenant.id, sha256, gateway.clock.now()), null);
    assert.equal(await attempts.begin(tenant.id, sha256, gateway.clock.now()), null);
    const again = gateway.clock.now() + 3_600_000;
    const shown = clockIn('Asia/Jakarta', Math.ceil(again / 60_000) * 60_000);
    const first = await uploaded(shop, 'garansi.markdown', WARRANTY);
    assert.deepEqual([first.status, first.error], ['failed', `Reading this file failed twice. Try again after ${shown}.`]);
    const indonesian = await api('GET', `${DOCUMENTS}/${first.id}`, undefined, { 'accept-language': 'id' });
    assert.match(indonesian.body.error, new RegExp(`dua kali gagal dibaca. Coba lagi setelah pukul ${shown.replace(':', '.')}\\.$`));
    assert.equal((await api('POST', `${DOCUMENTS}/${first.id}/parse`)).status, 202);
    assert.match((await settled(gateway, api, first.id)).body.error, /Reading this file failed twice/);
    assert.match((await uploaded(shop, 'another.txt', WARRANTY)).error, /Reading this file failed twice/);
    // Another business has nothing to do with that.
    const other = await gateway.signUp('Toko Lain', '+62 811-0000-8888');
    const theirs = await upload(gateway, other.tokens.token, 'garansi.markdown', WARRANTY);
    assert.equal((await settled(gateway, other.api, theirs.body.id)).body.status, 'ready');
    await gateway.clock.advance(again - gateway.clock.now());
    const later = await (await shop.restarted()).api('POST', `${DOCUMENTS}/${first.id}/parse`);
    assert.equal(later.status, 202);
  });

  it('are marked as failed with a clear reason if parsing exhausts resources, and other documents are not affected', async (t) => {
    const shop = await anAiShop(t, kind);
    const { gateway, tenant } = shop;
    const far = sheetOf('<row r="999999999"><c r="ZZZZZZ999999999" t="inlineStr"><is><t>far</t></is></c></row>');
    assert.ok(far.length < 1_700);
    const bomb = await upload(gateway, tenant.tokens.token, 'bomb.xlsx', far as Buffer<ArrayBuffer>);
    const other = await gateway.signUp('Toko Lain', '+62 811-0000-8888');
    const theirs = await upload(gateway, other.tokens.token, 'garansi.markdown', WARRANTY);
    assert.equal((await settled(gateway, other.api, theirs.body.id)).body.status, 'ready');
    const { status, error } = (await settled(gateway, shop.api, bomb.body.id)).body;
    assert.deepEqual([status, error], ['failed', 'a sheet extends too far to the right or down; delete its last rows and columns']);
  });

  it('are parsed as soon as an unavailable bucket is available again', async (t) => {
    const bucket = await anS3(t);
    const shop = await anAiShop(t, kind, s3Config(bucket));
    const { gateway, tenant, api, eventually } = shop;
    // A try asks three times.
    bucket.fail('GET', 503, 3 * 8);
    const { id } = (await upload(gateway, tenant.tokens.token, 'garansi.markdown', WARRANTY)).body;
    await shop.settled();
    await gateway.clock.advance(12 * 60_000);
    const read = await eventually('it is over', async () => {
      const { body } = await api('GET', `${DOCUMENTS}/${id}`);
      return body.status !== 'parsing' && body;
    });
    assert.deepEqual([read.status, read.error], ['ready', null]);
  });

  it("do not delay the business's other work while the bucket is unavailable", async (t) => {
    const bucket = await anS3(t);
    const shop = await anAiShop(t, kind, s3Config(bucket));
    const { api, eventually } = shop;
    const { id } = await uploaded(shop, 'garansi.markdown', WARRANTY);
    await api('POST', '/v1/contacts', { phone: '+6281277770007', name: 'Person' });
    const rules = { all: [{ field: 'name', op: 'starts_with', value: 'person' }] };
    const segment = (await api('POST', '/v1/segments', { name: 'Persons', rules })).body;
    bucket.fail('DELETE', 503, 10_000);
    await api('DELETE', `${DOCUMENTS}/${id}`);
    const work = (await api('POST', '/v1/contacts/bulk', { action: 'tag', segment_id: segment.id, value: 'VIP' })).body;
    await eventually('they are tagged', async () => (await api('GET', `/v1/contacts/bulk/${work.id}`)).body.status === 'done');
    assert.ok(bucket.keys().length > 0);
  });

  it('are visible only to their business, and not to agents or single-device keys', async (t) => {
    const shop = await anAiShop(t, kind);
    const { gateway, api, device } = shop;
    const { id } = await uploaded(shop, 'garansi.markdown', WARRANTY);
    const other = await gateway.signUp('Toko Lain', '+62 811-0000-8888');
    assert.deepEqual((await other.api('GET', DOCUMENTS)).body, { documents: [] });
    for (const [method, path] of [
      ['GET', `${DOCUMENTS}/${id}`],
      ['DELETE', `${DOCUMENTS}/${id}`],
      ['POST', `${DOCUMENTS}/${id}/parse`],
    ] as const)
      assert.equal((await other.api(method, path)).status, 404);
    const foreign = await gateway.during(other.api('POST', '/v1/ai-reply/ask', { question: 'garansi mesin jahit berapa tahun?' }));
    assert.deepEqual([foreign.body.answer, foreign.body.sources], [null, []]);

    const { key } = (await api('POST', '/v1/api-keys', { name: 'one device', session_ids: [device.id] })).body;
    const agent = await hired(gateway, api, 'Dewi', '6281311110001');
    for (const who of [gateway.as(key), agent.api]) {
      assert.equal((await who('GET', DOCUMENTS)).status, 403);
      assert.equal((await who('GET', `${DOCUMENTS}/${id}`)).status, 403);
      assert.equal((await who('DELETE', `${DOCUMENTS}/${id}`)).status, 403);
      assert.equal((await who('POST', `${DOCUMENTS}/url`, { url: 'https://example.com/' })).status, 403);
    }
    assert.equal((await upload(gateway, key, 'a.txt', 'text')).status, 403);
  });

  it('are limited to two hundred per business', async (t) => {
    const shop = await anAiShop(t, kind);
    const { id } = await uploaded(shop, 'garansi.markdown', WARRANTY);
    const rows = documentsIn(shop.gateway.store);
    const row = await rows.find(shop.tenant.id, id);
    assert.ok(row);
    for (let nth = 1; nth < MAX_DOCUMENTS; nth += 1)
      assert.ok(await rows.add({ ...row, _id: `01BX5ZZKBKACTAV9WEVGE${String(nth).padStart(5, '0')}`, blob: null }, MAX_DOCUMENTS));
    assert.equal((await upload(shop.gateway, shop.tenant.tokens.token, 'more.txt', 'text')).status, 402);
    assert.equal((await shop.api('POST', `${DOCUMENTS}/url`, { url: 'https://93.184.216.34/' })).status, 402);
  });

  it('are fetched over real sockets through redirects, but not from a private network', async (t) => {
    const pages: Record<string, (response: ServerResponse) => void> = {
      '/faq': html('<title>Tanya jawab Toko Sari</title><nav>Beranda</nav><h1>Garansi</h1><p>Garansi mesin jahit berlaku dua tahun.</p>'),
      '/moved': (response) => response.writeHead(302, { location: '/faq' }).end(),
      '/inside': (response) => response.writeHead(302, { location: `http://${inside.place}/secret` }).end(),
      '/metadata': (response) => response.writeHead(307, { location: 'https://169.254.169.254/latest' }).end(),
      '/round': (response) => response.writeHead(302, { location: '/round' }).end(),
      '/broken': (response) => void response.writeHead(200, { 'content-length': '100' }).write('<p>half', () => response.destroy()),
      '/slow': (response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<p>it never ends'),
      '/huge': (response) => response.end('<p>word</p>'.repeat(600_000)),
    };
    const server = await aFileServer(t, (path, response) => (pages[path] ?? ((none) => none.writeHead(404).end()))(response));
    // On this machine, and not allowed.
    const inside = await aFileServer(t, (_path, response) => response.end('<p>secret</p>'));
    const shop = await anAiShop(t, kind, { egress_allow_reads: [server.place] });
    const { gateway, api } = shop;
    const added = async (url: string): Promise<Answer['body']> => {
      const { status, body } = await api('POST', `${DOCUMENTS}/url`, { url });
      assert.equal(status, 202, JSON.stringify(body));
      assert.deepEqual([body.status, body.source_url], ['parsing', url]);
      return (await settled(gateway, api, body.id)).body;
    };
    const url = `${server.url}/moved`;
    const page = await added(url);
    assert.deepEqual([page.status, page.name, page.ext, page.source_url, page.chunks], ['ready', 'Tanya jawab Toko Sari', 'html', url, 1]);
    const { answer, sources } = await asked(shop, 'garansi mesin jahit berapa tahun?');
    assert.match(answer, /^Dari dokumen kami:\n“.*dua tahun/);
    assert.equal(sources[0].name, 'Tanya jawab Toko Sari');
    pages['/faq'] = html('<title>Tanya jawab Toko Sari</title><h1>Garansi</h1><p>Garansi mesin jahit berlaku lima tahun.</p>');
    assert.equal((await api('POST', `${DOCUMENTS}/${page.id}/parse`)).status, 202);
    assert.equal((await settled(gateway, api, page.id)).body.status, 'ready');
    assert.match((await asked(shop, 'garansi mesin jahit berapa tahun?')).answer, /lima tahun/);

    for (const [path, error] of [
      ['/inside', /is not allowed/],
      ['/metadata', /private or local network/],
      ['/round', /could not be downloaded/],
      ['/broken', /could not be downloaded/],
      ['/gone', /could not be downloaded/],
      ['/huge', /large/i],
    ] as const) {
      const failed = await added(`${server.url}${path}`);
      assert.deepEqual([failed.status, failed.chunks], ['failed', 0], path);
      assert.match(failed.error, error, path);
    }
    assert.deepEqual(inside.asked, [], 'nothing was asked inside');
    // A page that never ends is given up, and nobody else waits for it.
    const endless = (await api('POST', `${DOCUMENTS}/url`, { url: `${server.url}/slow` })).body;
    await shop.eventually('it is asked for', () => server.asked.includes('/slow'));
    const other = await gateway.signUp('Toko Lain', '+62 811-0000-8888');
    const theirs = await upload(gateway, other.tokens.token, 'garansi.markdown', WARRANTY);
    assert.equal((await settled(gateway, other.api, theirs.body.id)).body.status, 'ready');
    assert.equal((await api('GET', `${DOCUMENTS}/${endless.id}`)).body.status, 'parsing');
    await gateway.clock.advance(30_000);
    assert.match((await settled(gateway, api, endless.id)).body.error, /could not be downloaded/);
    const { documents } = (await api('GET', DOCUMENTS)).body;
    for (const blocked of [`${inside.url}/secret`, 'http://169.254.169.254/latest/meta-data', 'https://[::1]/']) {
      const answer = await api('POST', `${DOCUMENTS}/url`, { url: blocked });
      assert.deepEqual([answer.status, answer.body.code], [400, 'URL_BLOCKED'], blocked);
    }
    assert.equal((await api('POST', `${DOCUMENTS}/url`, { url: 'file:///etc/passwd' })).body.code, 'VALIDATION_FAILED');
    assert.deepEqual((await api('GET', DOCUMENTS)).body.documents, documents);
  });
});
