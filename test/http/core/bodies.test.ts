import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { aServer, as, type Sample } from '../../support/http-sample.ts';

let web: Sample;

before(async () => {
  web = await aServer();
});
after(() => web[Symbol.asyncDispose]());

// A login would soon meet the send limit of its tenant; the row without a body has none.
const bare = (body: unknown, headers = {}) => web.post('/v1/bearer', body, { ...as('owner'), ...headers });
const send = async (body: unknown) => {
  await using fresh = await aServer();
  return await fresh.post('/v1/sessions/D1/messages', body, as('owner'));
};

it('a valid body is passed to the operation with its defaults filled in', async () => {
  const { status, body } = await send({ type: 'text', body: 'Hi', by: { name: 'Ann', at: null } });
  assert.equal(status, 202);
  assert.deepEqual(body.body, { type: 'text', body: 'Hi', by: { name: 'Ann', at: null }, loud: false });
});

it('text in a body is not converted to a number or a boolean', async () => {
  assert.match((await send({ type: 'place', lat: '1' })).body.error, /lat must be a number/);
  assert.match((await send({ type: 'text', body: 'x', loud: 'true' })).body.error, /loud must be true or false/);
});

it('each invalid field in a body is named with its path', async () => {
  const error = async (body: unknown) => (await send(body)).body.error;
  assert.match(await error({ type: 'text' }), /: body is required$/);
  assert.match(await error({ type: 'text', body: 'x', extra: 1 }), /: extra is not a known field$/);
  assert.match(await error({ type: 'text', body: 'x', by: { name: 'x', odd: 1 } }), /: by\.odd is not a known field$/);
  assert.match(await error({ type: 'text', body: 'x', tags: ['a', 'b'.repeat(11)] }), /: tags\.1 must have at most 10 characters$/);
  assert.match(await error([]), /: body must be an object$/);
});

it('field names with a special meaning in MongoDB or JavaScript are rejected at any depth', async () => {
  for (const name of ['$gt', '$where', 'a.b', '__proto__', 'constructor', 'prototype']) {
    for (const body of [`{"${name}":1}`, `{"type":"text","body":{"${name}":""}}`, `{"tags":[[{"${name}":{}}]]}`]) {
      const answer = await bare(body);
      assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_FAILED'], body);
      assert.ok(answer.body.error.includes(name), answer.body.error);
    }
  }
});

it('an unpaired surrogate in a body is rejected, but a complete pair is accepted', async () => {
  assert.match((await send('{"type":"text","body":"a\\ud800b"}')).body.error, /body is not valid Unicode text/);
  assert.equal((await send({ type: 'text', body: '😀' })).status, 202);
  assert.equal((await bare(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).body.code, 'INVALID_JSON');
});

it('deeply nested and very wide bodies are rejected', async () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  assert.match((await bare(nested(33))).body.error, /nested too deeply/);
  assert.match((await bare(nested(32))).body.error, /must be an object/);
  assert.match((await bare(nested(400_000))).body.error, /nested too deeply/);
  const wide = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, 1]));
  assert.match((await bare(wide(2_001))).body.error, /too many fields/);
  assert.match((await bare(wide(2_000))).body.error, /not a known field/);
});

it('a large body with too many members is rejected without being parsed', async (t) => {
  const read = t.mock.method(JSON, 'parse');
  const largest = (): number => Math.max(0, ...read.mock.calls.map(({ arguments: [text] }) => String(text).length));
  const many = (member: string, count: number): string => Array.from({ length: count }, () => member).join();
  for (const body of [`{${many('"k":1', 60_000)}}`, `[${many('{}', 100_000)}]`, `[${many('[1]', 100_000)}]`]) {
    assert.match((await bare(body)).body.error, /too many fields/);
    assert.ok(largest() < 1_000, 'it was read');
  }
  // What only looks like members is text.
  const text = '{"a":[{ \\" '.repeat(5_000);
  assert.match((await bare({ text, more: '\\' })).body.error, /text is not a known field/);
  assert.ok(largest() > 50_000);
});

it('an operation that takes no body accepts a missing or an empty one', async () => {
  assert.equal((await bare({})).status, 200);
  assert.equal((await bare('')).status, 200);
  assert.match((await bare({ a: 1 })).body.error, /a is not a known field/);
});

it('a body is accepted only if it is plain JSON in UTF-8', async () => {
  assert.equal((await bare('{}', { 'content-type': 'application/json; charset=utf-8' })).status, 200);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16', 'multipart/form-data']) {
    assert.equal((await bare('{}', { 'content-type': type })).body.code, 'UNSUPPORTED_MEDIA_TYPE', type);
  }
  assert.equal((await bare('{}', { 'content-encoding': 'gzip' })).status, 415);
});

it('a body that is not JSON is rejected with INVALID_JSON', async () => {
  for (const body of ['{', '{"a":}', 'undefined', "{'a':1}", '\ufeff{}', '{"a":1}x']) {
    assert.equal((await bare(body)).body.code, 'INVALID_JSON', body);
  }
});

it('a body over 1 MB is rejected, but the connection stays open', async () => {
  const text = 'x'.repeat(1024 * 1024);
  assert.equal((await send({ type: 'text', body: text })).body.code, 'PAYLOAD_TOO_LARGE');
  assert.equal((await bare('x'.repeat(9 * 1024 * 1024))).status, 413);
  const unread = await web.post('/v1/bearer', text);
  assert.deepEqual([unread.status, unread.headers.get('connection')], [401, 'keep-alive']);
  assert.equal((await bare({})).status, 200);
});

it('raw bytes are accepted only with the content types that an operation allows', async () => {
  const upload = (type: string, size = 10) => web.post('/v1/upload', 'x'.repeat(size), { ...as('owner'), 'content-type': type });
  assert.deepEqual((await upload('image/png')).body, { size: 10, type: 'image/png' });
  assert.deepEqual((await upload('text/csv; charset=utf-8', 1_500_000)).body.size, 1_500_000);
  assert.equal((await upload('application/json')).status, 415);
  assert.equal((await upload('image/png', 2_000_001)).status, 413);
});
