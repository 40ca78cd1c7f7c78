import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Ongoing, Raw } from '../../../http/core/row.ts';
import { UnreadAnswers } from '../../../http/core/unread-answers.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { aServer, type Sample } from '../../support/http-sample.ts';
import { scrape } from '../../support/scrape.ts';

const MB = 1024 * 1024;
/** What a pair of sockets on this machine may keep between the two processes' own memory. */
const KERNEL_BYTES = 12 * MB;

interface World {
  readonly web: Sample;
  readonly unread: UnreadAnswers;
  /** Time passes for the sockets, in steps; what they do meanwhile takes real time. */
  passes(seconds: number, meanwhile?: () => void): Promise<void>;
  /** Asks for something and reads nothing of the answer. */
  asks(text: string): Promise<Socket>;
}

async function aWorld(t: TestContext, port?: 'metrics'): Promise<World> {
  const clock = new VirtualClock(0, () => wait(5));
  const unread = new UnreadAnswers(clock);
  const web = await aServer({ unread, ...(port && { metricsPort: 0 }) });
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await web[Symbol.asyncDispose]();
  });
  const url = (port && web.server.metricsUrl) ?? web.server.url;
  return {
    web,
    unread,
    async passes(seconds, meanwhile = () => {}) {
      for (let step = 0; step < seconds * 4; step += 1) {
        meanwhile();
        await clock.advance(250);
      }
    },
    async asks(text) {
      const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' }).pause();
      socket.on('error', () => {});
      sockets.push(socket);
      await once(socket, 'connect');
      socket.write(text);
      return socket;
    },
  };
}

const GET = 'GET /open HTTP/1.1\r\nHost: x\r\n\r\n';
const HEALTH = 'GET /health HTTP/1.1\r\nHost:x\r\n\r\n';
const ZIPPED = 'GET /open HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n';

const aText = (bytes: number): Raw => new Raw('x'.repeat(bytes), 'text/plain');
/** No compressor makes it much smaller. */
const noiseOf = (bytes: number): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(49_152)))
    .toString('base64')
    .repeat(bytes / 65_536);

async function soon(what: string, check: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !check(); tries += 1) await wait(10);
  assert.ok(check(), what);
}

/** Reads a part of what came whenever it is asked to. */
function aSlowReader(socket: Socket): { readonly read: () => void; readonly bytes: () => number } {
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    socket.pause();
  });
  socket.pause();
  return { read: () => void socket.resume(), bytes: () => bytes };
}

/** Bytes that a socket receives from now on. */
function counted(socket: Socket): { readonly bytes: number; readonly text: string; isEnded: boolean } {
  const all = { bytes: 0, text: '', isEnded: false };
  socket.on('data', (chunk: Buffer) => {
    all.bytes += chunk.length;
    if (all.text.length < MB) all.text += chunk.toString('latin1');
  });
  socket.on('close', () => {
    all.isEnded = true;
  });
  return all;
}

describe('a response that the caller does not read', () => {
  it('is dropped, logged and counted after ten seconds', async (t) => {
    const { web, unread, asks, passes } = await aWorld(t);
    web.inside(() => aText(8 * MB));
    const socket = await asks(GET);
    await soon('it waits', () => unread.bytes > MB);
    await passes(9);
    assert.ok(unread.bytes > MB);
    await passes(2);
    assert.equal(unread.bytes, 0);
    const received = counted(socket.resume());
    await soon('the connection is closed', () => received.isEnded);
    assert.ok(received.bytes < 8 * MB);
    const [line, ...others] = web.lines.filter(({ event }) => event === 'http.answer_dropped');
    assert.deepEqual([line?.['because'], others.length], ['stalled', 0]);
    assert.match(received.text, new RegExp(`x-request-id: ${line?.['req']}`, 'i'));
    const { value } = await scrape(web.server.url);
    assert.equal(value('gateway_answers_dropped_total', { because: 'stalled' }), 1);
  });

  it('is dropped even if it is compressed or streamed in large parts', async (t) => {
    const { web, unread, asks, passes } = await aWorld(t);
    web.inside(() => new Raw(noiseOf(12 * MB), 'text/plain'));
    await asks(ZIPPED);
    await soon('it waits', () => unread.bytes > MB);
    // The compressor works until nobody takes what it makes.
    for (let tries = 0; tries < 20 && unread.bytes > 0; tries += 1) await passes(11);
    assert.equal(unread.bytes, 0);
    web.inside(
      () =>
        new Raw(
          Readable.from(
            Array.from({ length: 4 }, () => Buffer.alloc(8 * MB)),
            { objectMode: false },
          ),
          'text/csv',
        ),
    );
    await asks(GET);
    await soon('it waits', () => unread.bytes > MB);
    await passes(12);
    assert.equal(unread.bytes, 0);
  });

  it('shares a limit of 24 MB with all other unread responses', async (t) => {
    const { web, unread, asks, passes } = await aWorld(t);
    web.inside(() => aText(8 * MB));
    for (let nth = 0; nth < 12; nth += 1) await asks(GET);
    await soon('all are answered', () => web.lines.filter(({ event }) => event === 'http.answer_dropped').length > 3);
    await passes(0.5);
    assert.ok(unread.bytes <= 24 * MB, `${unread.bytes}`);
    await passes(12);
    assert.equal(unread.bytes, 0);
  });

  it('is also dropped on the metrics listener', async (t) => {
    const { web, unread, asks, passes } = await aWorld(t, 'metrics');
    assert.ok(web.server.metricsUrl);
    await asks('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2_000));
    await soon('some wait', () => unread.bytes > 0);
    await passes(12);
    assert.ok(unread.bytes < MB, `${unread.bytes}`);
  });
});

describe('a slow reader', () => {
  it('receives every byte, even while twelve other callers read nothing', async (t) => {
    const { web, unread, asks, passes } = await aWorld(t);
    web.inside(() => aText(7 * MB));
    const socket = await asks(GET);
    const slow = aSlowReader(socket);
    await soon('it waits', () => unread.bytes > MB);
    web.inside(() => aText(8 * MB));
    for (let nth = 0; nth < 12; nth += 1) await asks(GET);
    await passes(15, slow.read);
    assert.ok(unread.bytes > MB, 'it has not read all');
    while (slow.bytes() < 7 * MB && !socket.destroyed) await passes(0.25, slow.read);
    assert.ok(slow.bytes() >= 7 * MB, `${slow.bytes()}`);
  });

  it('receives a stream however slowly it reads', async (t) => {
    const { web, asks, passes } = await aWorld(t);
    web.inside(
      () =>
        new Raw(
          Readable.from(
            Array.from({ length: 256 }, () => Buffer.alloc(64 * 1024)),
            { objectMode: false },
          ),
          'image/png',
        ),
    );
    const socket = await asks(GET);
    const slow = aSlowReader(socket);
    while (slow.bytes() < 16 * MB && !socket.destroyed) await passes(0.25, slow.read);
    assert.ok(slow.bytes() >= 16 * MB, `${slow.bytes()}`);
  });

  it('keeps its live event stream, to which the ten-second limit does not apply', async (t) => {
    const { web, unread, asks, passes } = await aWorld(t);
    const { promise: begun, resolve: begin } = Promise.withResolvers<Socket>();
    web.inside(() => new Ongoing('text/event-stream', {}, begin));
    await asks(GET);
    const stream = await begun;
    stream.write(Buffer.alloc(16 * MB));
    await passes(15);
    assert.equal(unread.bytes, 0);
    assert.equal(stream.destroyed, false);
  });
});

describe('requests sent before a response has been read', () => {
  it('are started one at a time, even if two hundred of them have responses of 1 MB', async (t) => {
    const { web, unread, asks } = await aWorld(t);
    let begun = 0;
    web.inside(() => {
      begun += 1;
      return new Raw(`{"nth":${begun},"text":"${'x'.repeat(MB)}"}`, 'application/json');
    });
    const socket = await asks(GET.repeat(200));
    await soon('the first waits to be read', () => unread.bytes > 0);
    await wait(300);
    assert.ok(unread.bytes < 1.1 * MB, `${unread.bytes}`);
    assert.ok(begun <= 2 + KERNEL_BYTES / MB, `${begun}`);
    let received = '';
    const order: number[] = [];
    socket.on('data', (chunk) => {
      received += chunk;
      for (let found = /"nth":(\d+),/.exec(received); found; found = /"nth":(\d+),/.exec(received)) {
        order.push(Number(found[1]));
        received = received.slice(found.index + found[0].length);
      }
      received = received.slice(-20);
    });
    socket.resume();
    await soon('all are answered', () => begun === 200 && order.length === 200);
    assert.deepEqual(
      order,
      Array.from({ length: 200 }, (_, nth) => nth + 1),
    );
  });

  it('wait in a bounded amount of memory while the first request runs', async (t) => {
    const { web, asks } = await aWorld(t);
    const first = Promise.withResolvers<object>();
    const never = Promise.withResolvers<object>();
    let begun = 0;
    web.inside(() => {
      begun += 1;
      return begun === 1 ? first.promise : never.promise;
    });
    const patient = await asks(GET + HEALTH.repeat(300));
    await soon('it began', () => begun === 1);
    const before = process.memoryUsage().heapUsed;
    const greedy = await Promise.all(Array.from({ length: 50 }, () => asks(GET)));
    for (const socket of greedy) socket.resume().write(HEALTH.repeat(5_000));
    await soon('some are closed', () => greedy.some(({ closed, readableEnded }) => closed || readableEnded));
    await wait(500);
    assert.ok(process.memoryUsage().heapUsed - before < 150 * MB);
    const answers = counted(patient.resume());
    first.resolve({ ok: true });
    await soon('the patient one is answered', () => answers.text.split('HTTP/1.1 200').length === 302);
  });

  it('get the same responses as requests sent separately, even with bodies and Expect headers', async (t) => {
    const { asks } = await aWorld(t);
    const post = (body: string, more = ''): string =>
      `POST /v1/sessions/D1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer agent\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
    const body = '{"type":"text","body":"Hello"}';
    const all = [
      GET,
      post(body),
      post(body, 'Expect: 100-continue\r\n'),
      post('{"type":'),
      'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n',
      GET,
    ];
    const received = counted((await asks(all.join(''))).resume());
    const statuses = () => [...received.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    await soon('all are answered', () => statuses().length === 7);
    assert.deepEqual(statuses(), [200, 202, 100, 202, 400, 404, 200]);
  });
});
