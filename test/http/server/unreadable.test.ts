import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Limits, LimitsInMemory } from '../../../http/limits/limits.ts';
import { ANNA, aGateway, type Gateway, PHONE } from '../../support/gateway.ts';
import { aLog, type LogLine } from '../../support/log.ts';
import { scrape } from '../../support/scrape.ts';
import { embedded } from '../../support/stores.ts';
import { leastOfThree } from '../../support/turns.ts';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** What comes back until the connection ends; the caller may end its own half. */
async function answersTo(gateway: Gateway, said: (socket: Socket) => void): Promise<readonly Answer[]> {
  const socket = connect({ port: Number(new URL(gateway.node.url).port), host: '127.0.0.1' });
  said(socket);
  let received = '';
  for await (const chunk of socket) received += chunk;
  return received
    .split('HTTP/1.1 ')
    .slice(1)
    .map((one) => {
      const [head = '', body = ''] = one.split('\r\n\r\n');
      const [status = '', ...lines] = head.split('\r\n');
      const headers = new Headers(lines.map((line): [string, string] => [line.split(': ')[0] ?? '', line.split(': ')[1] ?? '']));
      return { status: Number.parseInt(status, 10), headers, body };
    });
}

const HEALTH = 'GET /health HTTP/1.1\r\nHost: x\r\n';
const NONE: Readonly<Record<string, string>> = {
  'no request': 'no request\r\n\r\n',
  'a control character in a header': `${HEALTH}X-A: a\u0000b\r\n\r\n`,
  'two lengths': 'POST /auth/register HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
  'a length of chunks': 'POST /auth/register HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello',
  'headers without end': `${HEALTH}X-A: ${'a'.repeat(20_000)}\r\n\r\n`,
};

/** What Node itself would serve, or refuse without a body. */
const MISFRAMED: Readonly<Record<string, readonly [bytes: string, said: RegExp]>> = {
  'no host': ['GET /health HTTP/1.1\r\n\r\n', /Host is required/],
  'two hosts': [`${HEALTH}Host: y\r\n\r\n`, /Host once/],
  'the same host twice': [`${HEALTH}host: x\r\n\r\n`, /Host once/],
  'a list of hosts': ['GET /health HTTP/1.1\r\nHost: x, y\r\n\r\n', /Host is not valid/],
  'a host with a user': ['GET /health HTTP/1.1\r\nHost: a@b\r\n\r\n', /Host is not valid/],
  'HTTP/2.0': ['GET /health HTTP/2.0\r\nHost: x\r\n\r\n', /use HTTP\/1\.1/],
  'HTTP/0.9': ['GET /health HTTP/0.9\r\nHost: x\r\n\r\n', /use HTTP\/1\.1/],
  'another transfer coding': [`POST /auth/register HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\nhello`, /chunked/],
  'an expectation and no host': ['POST /auth/register HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}', /Host is required/],
};

async function aLoggedGateway(t: TestContext): Promise<{ readonly gateway: Gateway; requests(): readonly LogLine[] }> {
  const { log, lines } = aLog();
  return { gateway: await aGateway(t, { kind: embedded, log }), requests: () => lines('').filter(({ msg }) => msg === 'request') };
}

describe('an unreadable request', () => {
  it('is rejected, logged and counted like other rejected calls', async (t) => {
    const { gateway, requests } = await aLoggedGateway(t);
    for (const [name, bytes] of Object.entries(NONE)) {
      const [answer, ...others] = await answersTo(gateway, (socket) => socket.write(bytes));
      assert.deepEqual([answer?.status, others.length], [400, 0], name);
      const { code, error } = JSON.parse(answer?.body ?? '');
      assert.equal(code, 'VALIDATION_FAILED', name);
      assert.match(error, name === 'headers without end' ? /the headers are too long/ : /this is not an HTTP request/);
      assert.match(answer?.headers.get('x-request-id') ?? '', /^[0-9A-Z]{26}$/);
      assert.equal(answer?.headers.get('ratelimit-limit'), '300');
      assert.equal(answer?.headers.get('connection'), 'close');
    }
    assert.equal(requests().filter(({ status }) => status === 400).length, Object.keys(NONE).length);
    const { series } = await scrape(gateway.node.url);
    const counted = series.find(({ name, labels }) => name === 'http_requests_total' && labels['status'] === '400');
    assert.equal(counted?.value, Object.keys(NONE).length);
  });

  it('is rejected in the same way whether or not Node would have accepted it', async (t) => {
    const { gateway, requests } = await aLoggedGateway(t);
    for (const [name, [bytes, said]] of Object.entries(MISFRAMED)) {
      const answers = await answersTo(gateway, (socket) => socket.write(`${HEALTH}\r\n${bytes}`));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 400],
        name,
      );
      const { code, error } = JSON.parse(answers[1]?.body ?? '');
      assert.equal(code, 'VALIDATION_FAILED', name);
      assert.match(error, said, name);
      assert.equal(answers[1]?.headers.get('connection'), 'close');
    }
    assert.equal(requests().filter(({ status }) => status === 400).length, Object.keys(MISFRAMED).length);
    const answers = await answersTo(gateway, (socket) => socket.write(`${HEALTH}\r\nCONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n`));
    assert.deepEqual(
      answers.map(({ status, body }) => [status, JSON.parse(body).code]),
      [
        [200, undefined],
        [405, 'METHOD_NOT_ALLOWED'],
      ],
    );
    const old = await answersTo(gateway, (socket) => socket.write('GET /health HTTP/1.0\r\n\r\n'));
    assert.deepEqual(
      old.map(({ status }) => status),
      [200],
    );
  });

  it('is rejected only once, after earlier requests have been answered', async (t) => {
    const { gateway } = await aLoggedGateway(t);
    const answers = await answersTo(gateway, (socket) =>
      socket.write(`${HEALTH}\r\n${HEALTH}\r\n${'\u0000no request\r\n\r\n'.repeat(50)}`),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 400],
    );
  });

  it('is handled only once, even if a lot of data follows on the open connection', async (t) => {
    const { gateway } = await aLoggedGateway(t);
    const { url } = (await (await gateway.signUp()).api('POST', '/v1/events-ticket')).body;
    const warned: Error[] = [];
    const warn = (warning: Error): void => void warned.push(warning);
    process.on('warning', warn);
    t.after(() => process.off('warning', warn));
    const socket = connect({ port: Number(new URL(gateway.node.url).port), host: '127.0.0.1' });
    socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const [first] = await once(socket, 'data');
    assert.match(String(first), /^HTTP\/1\.1 200/);
    for (let chunk = 0; chunk < 30; chunk += 1) {
      socket.write('\u0000no request\r\n\r\n');
      await gateway.api('GET', '/health');
    }
    socket.destroy();
    assert.deepEqual(warned, []);
  });

  it('is served normally if its only fault is an unknown Expect header', async (t) => {
    const { gateway } = await aLoggedGateway(t);
    const answers = await answersTo(gateway, (socket) => socket.write(`${HEALTH}Expect: 200-ok\r\nConnection: close\r\n\r\n`));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200],
    );
  });

  it('gets no response if the caller disconnects halfway through the body', async (t) => {
    const { gateway, requests } = await aLoggedGateway(t);
    const { linked, tokens } = await gateway.signUp();
    const { path } = await linked(PHONE);
    const body = JSON.stringify({ chat_id: ANNA, type: 'text', body: 'Half' });
    const head = `Host: x\r\nAuthorization: Bearer ${tokens.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    for (const target of [`${path}/messages`, `${path}/messages?`]) {
      const answers = await answersTo(gateway, (socket) => socket.end(`POST ${target} HTTP/1.1\r\n${head}${body.slice(0, -5)}`));
      assert.deepEqual(answers, [], target);
    }
    await gateway.until(
      'both are missed',
      async () => requests().filter(({ status, method }) => status === 499 && method === 'post').length === 2,
    );
  });
});

describe('a request with long headers', () => {
  it('is served or rejected at low CPU cost', async (t) => {
    const { gateway } = await aLoggedGateway(t);
    const get = (path: string, header = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}\r\n`;
    const asked: Readonly<Record<string, readonly [bytes: string, status: number]>> = {
      'many headers': [get('/health', 'a:b\r\n'.repeat(3_000)), 400],
      cookies: [get('/health', `Cookie: ${'a=b; '.repeat(3_100)}\r\n`), 200],
      languages: [get('/nowhere', `Accept-Language: ${'id;q=0.1,'.repeat(1_700)}\r\n`), 404],
      encodings: [get('/health', `Accept-Encoding: ${'gzip;q=0.5,'.repeat(1_400)}\r\n`), 200],
      'ten thousand languages': [get('/health', `Accept-Language: ${'id,'.repeat(10_000)}\r\n`), 400],
      addresses: [get('/health', `X-Forwarded-For: ${'1.2.3.4, '.repeat(1_700)}\r\n`), 200],
      parameters: [get(`/health?${Array.from({ length: 2_500 }, (_, nth) => `a${nth}`).join('&')}`), 400],
      'ten thousand parameters': [get(`/health?${'a=1&'.repeat(10_000)}`), 400],
      escapes: [get(`/${'%41'.repeat(5_000)}`), 404],
      'ten thousand escapes': [get(`/${'%41'.repeat(10_000)}`), 400],
      segments: [get('/a'.repeat(7_900)), 404],
      ranges: [get('/openapi.json', `Range: bytes=${'0-1,'.repeat(3_900)}0-1\r\n`), 206],
      tags: [get('/health', `If-None-Match: ${'"a",'.repeat(3_900)}"b"\r\n`), 200],
    };
    await gateway.api('GET', '/openapi.json');
    for (const [name, [bytes, status]] of Object.entries(asked)) {
      const ms = await leastOfThree(async () => {
        const [answer] = await answersTo(gateway, (socket) => socket.write(bytes));
        assert.equal(answer?.status, status, name);
      });
      assert.ok(ms < 25, `${name}: ${ms} ms`);
    }
  });
});

describe('a caller who disconnects', () => {
  it('is logged if a complete request was waiting, and does not count as a server error', async (t) => {
    const { log, lines } = aLog();
    const limits = new LimitsInMemory();
    const takesTime: Limits = {
      take: (...call) => wait(100).then(() => limits.take(...call)),
      takeAll: (...call) => wait(100).then(() => limits.takeAll(...call)),
    };
    const gateway = await aGateway(t, { kind: embedded, log, limits: takesTime });
    const { linked, tokens } = await gateway.signUp();
    const { path } = await linked(PHONE);
    const body = JSON.stringify({ chat_id: ANNA, type: 'text', body: 'Whole' });
    const head = `Host: x\r\nAuthorization: Bearer ${tokens.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const leave = (socket: Socket): void =>
      void socket.write(`POST ${path}/messages HTTP/1.1\r\n${head}${body}`, () => socket.resetAndDestroy());
    await answersTo(gateway, leave).catch(() => {});
    const left = () => lines('').some(({ status, path: of }) => status === 499 && String(of).endsWith('/messages'));
    await gateway.until('the caller is missed', () => wait(20).then(left));
    assert.deepEqual(lines('http.request_failed'), []);
    assert.equal((await scrape(gateway.node.url)).value('gateway_refusals_total', { code: 'INTERNAL' }), 0);
  });

  it('does not count as a server error, even if a complete upload is waiting', async (t) => {
    const { log, lines } = aLog();
    const limits = new LimitsInMemory();
    let waitMs = 0;
    const takesTime: Limits = {
      take: (...call) => wait(waitMs).then(() => limits.take(...call)),
      takeAll: (...call) => wait(waitMs).then(() => limits.takeAll(...call)),
    };
    const gateway = await aGateway(t, { kind: embedded, log, limits: takesTime });
    const { tokens } = await gateway.signUp();
    const sent = (path: string, length: number): Promise<Socket> =>
      new Promise((resolve) => {
        const socket = connect({ port: Number(new URL(gateway.node.url).port), host: '127.0.0.1' });
        const head = `Host: x\r\nAuthorization: Bearer ${tokens.token}\r\nContent-Type: text/csv\r\nContent-Length: ${length}`;
        socket.write(`POST ${path} HTTP/1.1\r\n${head}\r\n\r\na file`, () => resolve(socket));
      });
    const missed = (count: number, path: string) =>
      gateway.until(`${count} callers are missed`, () =>
        wait(20).then(() => lines('').filter(({ status, path: of }) => status === 499 && of === path).length === count),
      );

    waitMs = 100;
    (await sent('/v1/contacts/import', 6)).resetAndDestroy();
    await missed(1, '/v1/contacts/import');
    waitMs = 0;
    // As many uploads as are read from one business at a time.
    const slow = await Promise.all(Array.from({ length: 8 }, () => sent('/v1/media/upload', 100)));
    await wait(100);
    const whole = await sent('/v1/media/upload', 6);
    await wait(100);
    whole.resetAndDestroy();
    await wait(100);
    for (const socket of slow) socket.resetAndDestroy();
    await missed(9, '/v1/media/upload');
    // The aborted upload is logged immediately, and read when its turn comes.
    await wait(200);
    assert.deepEqual(lines('http.request_failed'), []);
    assert.equal((await scrape(gateway.node.url)).value('gateway_refusals_total', { code: 'INTERNAL' }), 0);
  });
});
