import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { it } from 'node:test';
import { type Answer, aGateway, type Gateway, type Tenant } from '../../../support/gateway.ts';
import { aDirectory, eachStore } from '../../../support/stores.ts';
import { got, PDF, PNG, pngOf, put, sha256, upload } from './files.ts';

const MB = 1024 * 1024;

eachStore('an uploaded file', (kind) => {
  it('is returned byte for byte, whether it was uploaded as a raw body or in a form', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const form = new FormData();
    form.append('note', 'for the shop');
    form.append('file', new Blob([PDF], { type: 'text/html' }), 'Daftar Hargá.pdf');
    for (const sent of [await put(gateway, acme, '/v1/media/upload', form), await upload(gateway, acme, PDF, 'Daftar Hargá.pdf')]) {
      assert.equal(sent.status, 201, JSON.stringify(sent.body));
      const { key, created_at, ...rest } = sent.body;
      assert.deepEqual(rest, { size: PDF.length, content_type: 'application/pdf', filename: 'Daftar Hargá.pdf', sha256: sha256(PDF) });
      const answer = await got(gateway, acme, `/v1/media/${key}`);
      assert.deepEqual(answer.bytes, PDF);
      assert.equal(answer.headers.get('content-type'), 'application/pdf');
      assert.equal(answer.headers.get('content-disposition'), "attachment; filename*=UTF-8''Daftar%20Harg%C3%A1.pdf");
      assert.match(answer.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'$/);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.deepEqual((await acme.api('GET', `/v1/media/${key}`, undefined, { accept: 'application/json' })).body, sent.body);
    }
  });

  it('gets its type from its bytes, whatever its name and declared type', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const html = Buffer.from('<!doctype html><script>alert(1)</script>');
    const svg = Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
    const cases: [string, Buffer, string][] = [
      ['photo.pdf', PNG, 'image/png'],
      ['page.html', html, 'application/octet-stream'],
      ['page.png', html, 'application/octet-stream'],
      ['drawing.svg', svg, 'application/octet-stream'],
      ['drawing.png', svg, 'application/octet-stream'],
      ['', html, 'application/octet-stream'],
      ['prices.csv', Buffer.from('name,price\nkopi,12000\n'), 'text/csv'],
      ['prices.csv', Buffer.from([1, 0, 2, 0]), 'application/octet-stream'],
      [
        'letter.docx',
        Buffer.concat([Buffer.from('PK\u0003\u0004\u0014\0'), Buffer.alloc(40)]),
        'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      ],
    ];
    for (const [name, bytes, type] of cases) {
      const { body } = await upload(gateway, acme, bytes, name);
      assert.equal(body.content_type, type, name);
      assert.equal((await got(gateway, acme, `/v1/media/${body.key}`)).headers.get('content-type')?.split(';')[0], type, name);
    }
  });

  it('can have at most 25 MB, and leaves nothing behind if it is too large', async (t) => {
    const directory = aDirectory(t);
    const gateway = await aGateway(t, { kind, config: { data_dir: directory } });
    const acme = await gateway.signUp();
    assert.equal((await upload(gateway, acme, pngOf(25 * MB))).status, 201);
    assert.equal(filesIn(directory), 1);

    const tooMuch = pngOf(25 * MB + 1);
    const form = new FormData();
    form.append('file', new Blob([tooMuch]), 'big.png');
    const noFile = new FormData();
    noFile.append('file', 'only a text');
    const refused: [string, () => Promise<Answer>, number, string][] = [
      ['too large', () => upload(gateway, acme, tooMuch), 413, 'PAYLOAD_TOO_LARGE'],
      ['too large, in a form', () => put(gateway, acme, '/v1/media/upload', form), 413, 'PAYLOAD_TOO_LARGE'],
      [
        'too large, of unknown length',
        () => put(gateway, acme, '/v1/media/upload', inPieces(tooMuch), 'image/png'),
        413,
        'PAYLOAD_TOO_LARGE',
      ],
      ['empty', () => upload(gateway, acme, Buffer.alloc(0)), 400, 'VALIDATION_FAILED'],
      ['a form without a file', () => put(gateway, acme, '/v1/media/upload', noFile), 400, 'VALIDATION_FAILED'],
      ['no form', () => put(gateway, acme, '/v1/media/upload', PDF, 'multipart/form-data; boundary=x'), 400, 'VALIDATION_FAILED'],
      ['a form without a boundary', () => put(gateway, acme, '/v1/media/upload', PDF, 'multipart/form-data'), 400, 'VALIDATION_FAILED'],
      ['nobody', () => put(gateway, null, '/v1/media/upload', PDF, 'application/pdf'), 401, 'UNAUTHORIZED'],
    ];
    for (const [what, send, status, code] of refused) {
      const answer = await send();
      assert.deepEqual([answer.status, answer.body.code], [status, code], what);
    }
    await abandoned(gateway, acme);
    await gateway.until('the abandoned upload is gone', () => filesIn(directory) === 1);
    assert.equal((await acme.api('GET', '/v1/media')).body.media.length, 1);
  });

  it('is not stored if the rest of its form is invalid', async (t) => {
    const directory = aDirectory(t);
    const gateway = await aGateway(t, { kind, config: { data_dir: directory } });
    const acme = await gateway.signUp();
    const part = 'Content-Disposition: form-data; name="file"; filename="menu.pdf"';
    const form = Buffer.concat([Buffer.from(`--x\r\n${part}\r\n\r\n`), PDF, Buffer.from('\r\n--x')]);
    const note = '\r\nContent-Disposition: form-data; name="note"\r\n\r\n';
    const refused: [string, Uint8Array | ReadableStream, number][] = [
      ['no end', Buffer.concat([form, Buffer.from('\r\n')]), 400],
      ['a part without a header', Buffer.concat([form, Buffer.from('\r\nno header')]), 400],
      ['too much else', inPieces(Buffer.concat([form, Buffer.from(note), Buffer.alloc(26 * MB, 'a'), Buffer.from('\r\n--x--')])), 413],
    ];
    for (const [what, sent, status] of refused) {
      assert.equal((await put(gateway, acme, '/v1/media/upload', sent, 'multipart/form-data; boundary=x')).status, status, what);
      assert.deepEqual((await acme.api('GET', '/v1/media')).body.media, [], what);
      assert.equal(filesIn(directory), 0, what);
    }
    const second = form.toString('latin1').slice(0, -3).replace('--x', '\r\n--x');
    const two = Buffer.concat([form, Buffer.from(`${second.slice(5)}--x--\r\n`, 'latin1')]);
    const { status, body } = await put(gateway, acme, '/v1/media/upload', two, 'multipart/form-data; boundary=x');
    assert.deepEqual([status, body.details.map((one: { path: string }) => one.path)], [400, ['file']]);
    assert.match(body.error, /only one file/);
    assert.equal(filesIn(directory), 0);
    const whole = Buffer.concat([form, Buffer.from('--\r\n')]);
    assert.equal((await put(gateway, acme, '/v1/media/upload', whole, 'multipart/form-data; boundary=x')).status, 201);
  });

  it('is listed newest first, can be removed, and is hidden from other tenants', async (t) => {
    const directory = aDirectory(t);
    const gateway = await aGateway(t, { kind, config: { data_dir: directory } });
    const acme = await gateway.signUp();
    const other = await gateway.signUp('Other', '+62 811-0000-8888');
    const keys: string[] = [];
    for (const name of ['a.pdf', 'b.pdf', 'c.pdf']) {
      keys.unshift((await upload(gateway, acme, PDF, name)).body.key);
      await gateway.clock.advance(1);
    }
    const first = (await acme.api('GET', '/v1/media?limit=2')).body;
    const rest = (await acme.api('GET', `/v1/media?limit=2&before=${first.next_before}&before_id=${first.next_before_id}`)).body;
    assert.deepEqual(
      [...first.media, ...rest.media].map(({ key }) => key),
      keys,
    );
    assert.deepEqual([rest.next_before, rest.next_before_id], [null, null]);

    const path = `/v1/media/${keys[0]}`;
    assert.deepEqual((await other.api('GET', '/v1/media')).body.media, []);
    for (const method of ['GET', 'DELETE']) assert.equal((await other.api(method, path)).body.code, 'NOT_FOUND');
    assert.deepEqual((await acme.api('DELETE', path)).body, { ok: true });
    for (const method of ['GET', 'DELETE']) assert.equal((await acme.api(method, path)).body.code, 'NOT_FOUND');
    assert.equal(filesIn(directory), 2);
    assert.equal((await acme.api('GET', '/v1/media/..%2F..%2Fadmin-secret')).body.code, 'NOT_FOUND');
  });

  it('is read only up to the size limit if it is part of a form, whatever the form contains', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1_048_576;
        if (sent > 200 * 1_048_576) return controller.close();
        controller.enqueue(
          sent === 1_048_576 ? Buffer.from('--x\r\nContent-Disposition: form-data; name="note"\r\n\r\n') : Buffer.alloc(1_048_576, 'a'),
        );
      },
    });
    const answer = await put(gateway, acme, '/v1/media/upload', endless, 'multipart/form-data; boundary=x').catch(() => null);
    assert.ok(answer === null || answer.body.code === 'PAYLOAD_TOO_LARGE');
    assert.ok(sent < 60 * 1_048_576, `${sent} bytes were taken`);
  });
});

/** Files of media on this disk, finished or not. */
const filesIn = (directory: string): number =>
  readdirSync(join(directory, 'media'), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.startsWith('store-'),
  ).length;

/** A body whose length nobody says before. */
function inPieces(bytes: Buffer): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      if (sent >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(sent, sent + 65_536));
      sent += 65_536;
    },
  });
}

/** The caller goes away in the middle. */
async function abandoned(gateway: Gateway, { tokens }: Tenant): Promise<void> {
  const { port, hostname } = new URL(gateway.node.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    `POST /v1/media/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tokens.token}\r\nContent-Type: image/png\r\nContent-Length: 100000\r\n\r\n`,
  );
  socket.write(pngOf(50_000));
  await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
}
