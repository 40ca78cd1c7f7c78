import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { refusal } from '../../../actors/domain/refusals.ts';
import { Raw } from '../../../http/core/row.ts';
import { runtimeRefusal } from '../../../runtime/errors.ts';
import { aServer, as, type Sample } from '../../support/http-sample.ts';

let web: Sample;

before(async () => {
  web = await aServer();
});
after(() => web[Symbol.asyncDispose]());

const received = async (thrown: unknown) => {
  web.inside(() => {
    throw thrown;
  });
  const { status, body, headers } = await web.get('/open');
  web.inside(() => undefined);
  return { status, body, retryAfter: headers.get('retry-after') };
};

it('every response includes a request id and the rate limits, even if the caller is rejected', async () => {
  for (const path of ['/open', '/v1/bearer', '/nowhere', '/v1/find/%E0%A4%A', '/health', '/docs/api', '/openapi.json']) {
    const { headers } = await web.get(path);
    assert.match(headers.get('x-request-id') ?? '', /^[0-9A-Z]{26}$/, path);
    assert.deepEqual(
      ['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`)),
      ['300', '300', '60'],
      path,
    );
  }
});

it('a request id from the caller is kept if it is valid, and otherwise replaced', async () => {
  assert.equal((await web.get('/open', { 'x-request-id': 'abc:1.2-3_4' })).headers.get('x-request-id'), 'abc:1.2-3_4');
  assert.notEqual((await web.get('/open', { 'x-request-id': 'no spaces' })).headers.get('x-request-id'), 'no spaces');
  assert.notEqual((await web.get('/open', { 'x-request-id': 'x'.repeat(65) })).headers.get('x-request-id')?.length, 65);
});

it('unknown paths return NOT_FOUND in the standard error format', async () => {
  const unknown = { error: 'Not found: this path does not exist; see /docs', code: 'NOT_FOUND' };
  assert.deepEqual((await web.get('/nowhere')).body, unknown, 'not as an id that is not there');
  assert.equal((await web.get('/open/')).status, 404);
  for (const path of ['/v1/find/%E0%A4%A', '/nowhere/%E0%A4%A', '/%ZZ'])
    assert.deepEqual((await web.get(path)).body, { error: 'Not found', code: 'NOT_FOUND' }, path);
});

it('the response language is taken from ?lang, then X-Lang, then Accept-Language', async () => {
  const english = 'Not found: this path does not exist; see /docs';
  const indonesian = 'Tidak ditemukan: alamat ini tidak ada; lihat /docs';
  const text = async (path: string, headers: Record<string, string>) => (await web.get(path, headers)).body.error;
  assert.equal(await text('/x?lang=id', { 'x-lang': 'en', 'accept-language': 'en' }), indonesian);
  assert.equal(await text('/x?lang=en', { 'x-lang': 'id' }), english);
  assert.equal(await text('/x', { 'x-lang': 'id', 'accept-language': 'en' }), indonesian);
  assert.equal(await text('/x', { 'accept-language': 'id-ID,id;q=0.9,en;q=0.8' }), indonesian);
  assert.equal(await text('/x', { 'accept-language': 'fr, en;q=0.2, id;q=0.9' }), indonesian);
  assert.equal(await text('/x', { 'accept-language': 'en-US,id;q=0.5' }), english);
  assert.equal(await text('/x?lang=fr', { 'accept-language': 'fr' }), english);
});

it('errors name the invalid request fields in both languages', async () => {
  const error = async (lang: string) => (await web.get(`/v1/find/A?limt=3&lang=${lang}`, as('owner'))).body.error;
  assert.equal(await error('en'), 'The request is not valid: limt is not a known field; did you mean limit?');
  assert.equal(await error('id'), 'Permintaan tidak valid: limt bukan kolom yang dikenal; maksud Anda limit?');
  assert.match((await web.get('/v1/find/A?limit=900', as('owner'))).body.error, /limit must be at most 200/);
});

it('query and path parameters are converted to their types, and every operation accepts the `lang` parameter', async () => {
  const { body } = await web.get('/v1/find/A?limit=7&only=true&lang=id', { ...as('owner'), 'x-thing': 'seen' });
  assert.deepEqual(body, { query: { limit: 7, only: true }, params: { id: 'A' }, lang: 'id', thing: 'seen' });
  assert.equal((await web.get('/v1/find/A?q=1&q=2', as('owner'))).status, 400);
  assert.equal((await web.get('/v1/find/A?q=nobody', as('owner'))).body.code, 'INVALID_NUMBER');
});

it('runtime errors are mapped to API error codes', async () => {
  assert.deepEqual(await received(runtimeRefusal('OVERLOADED', { retryAfterMs: 2_500 })), {
    status: 503,
    body: { error: 'The gateway is busy; try again shortly', code: 'OVERLOADED' },
    retryAfter: '3',
  });
  assert.equal((await received(runtimeRefusal('TIMED_OUT'))).body.code, 'DEVICE_TIMEOUT');
  assert.equal((await received(runtimeRefusal('UNAVAILABLE'))).retryAfter, '1');
  assert.equal((await received(runtimeRefusal('NOT_FOUND'))).status, 404);
  assert.equal((await received(new Error('store is down'))).body.code, 'UNAVAILABLE');
  assert.equal((await web.get('/v1/bearer', as('down'))).status, 503);
  assert.equal((await received(refusal('CONFLICT', { reason: 'busy' }))).body.error, 'Not possible in the current state: busy');
});

it('an internal error hides its details from the caller, but logs them with the request id', async () => {
  web.inside(() => {
    throw new Error('password is hunter2');
  });
  const { status, text, body, headers } = await web.get('/open', { 'x-request-id': 'bug-1' });
  web.inside(() => undefined);
  assert.equal(status, 500);
  assert.equal(body.code, 'INTERNAL');
  assert.doesNotMatch(text, /hunter2/);
  assert.equal(headers.get('x-request-id'), 'bug-1');
  assert.ok(web.lines.some(({ req, level, row }) => req === 'bug-1' && level === 50 && row === 'open'));
});

it('a response that fails while it is being sent is aborted, and the reason is logged', async () => {
  web.inside(() => new Raw(Readable.from(brokenOff(), { objectMode: false }), 'text/csv'));
  await assert.rejects(web.get('/open', { 'x-request-id': 'bug-2' }));
  web.inside(() => undefined);
  assert.ok(web.lines.some(({ req, level, row }) => req === 'bug-2' && level === 50 && row === 'open'));
});

async function* brokenOff(): AsyncGenerator<string> {
  yield 'a,b\n';
  throw new Error('the store is down');
}

it('an undocumented response is replaced by an error while response checks are enabled', async () => {
  assert.equal((await web.get('/wrong')).body.code, 'INTERNAL');
  await using lax = await aServer({ checkAnswers: false });
  assert.equal((await lax.get('/wrong')).status, 200);
});

it('endpoints can return content types other than JSON', async () => {
  const { text, headers } = await web.get('/csv');
  assert.equal(text, 'a,b\n');
  assert.match(headers.get('content-type') ?? '', /^text\/csv/);
  assert.equal(headers.get('x-rows'), '1');
});

it('each request is logged on one line without query, body or token, and health probes only at debug level', async () => {
  await web.get('/v1/find/NOBODY?q=secret', { ...as('owner'), 'x-request-id': 'logged-1' });
  await web.get('/health', { 'x-request-id': 'logged-2' });
  // A line is written once its answer has left, of which the caller may learn first.
  const isLogged = (id: string): boolean => web.lines.some(({ req }) => req === id);
  for (let looks = 0; looks < 200 && !['logged-1', 'logged-2'].every(isLogged); looks += 1) await pause(5);
  const line = web.lines.find(({ req }) => req === 'logged-1')!;
  assert.deepEqual([line['method'], line['path'], line['status'], line['tenant'], line['level']], ['get', '/v1/find/{id}', 200, 'T1', 30]);
  assert.doesNotMatch(JSON.stringify(web.lines), /NOBODY|secret|owner"/);
  assert.equal(web.lines.find(({ req }) => req === 'logged-2')?.['level'], 20);
});

it('a client that does not send HTTP gets a 400', async () => {
  const { port, hostname } = new URL(web.server.url);
  const socket = connect(Number(port), hostname);
  socket.end('nonsense\r\n\r\n');
  const [first] = await socket.take(1).toArray();
  assert.match(String(first), /^HTTP\/1\.1 400/);
  assert.equal((await web.get('/open')).status, 200);
});
