import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { aServer, as, type Sample } from '../../support/http-sample.ts';

let web: Sample;

before(async () => {
  web = await aServer();
});
after(() => web[Symbol.asyncDispose]());

const WHO = ['nobody', 'owner', 'agent', 'key', 'reader', 'manager', 'restricted'] as const;

/** Row → what each of WHO receives. */
const MATRIX: Readonly<Record<string, readonly [status: number, code?: string][]>> = {
  '/open': [[200], [200], [200], [200], [200], [200], [200]],
  '/v1/bearer': [[401, 'UNAUTHORIZED'], [200], [200], [200], [200], [403, 'FORBIDDEN'], [200]],
  '/v1/login': [[401], [200], [200], [403, 'FORBIDDEN'], [403, 'FORBIDDEN'], [403], [403]],
  '/v1/owner': [[401], [200], [403, 'FORBIDDEN'], [403, 'FORBIDDEN'], [403], [403], [403]],
  '/v1/keys': [[401], [200], [403, 'KEY_MANAGEMENT_REQUIRES_LOGIN'], [403, 'KEY_MANAGEMENT_REQUIRES_LOGIN'], [403], [403], [403]],
  '/v1/undeclared': [[401], [200], [403, 'FORBIDDEN'], [200], [200], [403], [403, 'FORBIDDEN']],
  '/v1/agents-too': [[401], [200], [200], [200], [200], [403], [403, 'FORBIDDEN']],
  '/v1/device-keys-too': [[401], [200], [403, 'FORBIDDEN'], [200], [200], [403], [200]],
  '/v1/two': [[401], [200], [200], [200], [403, 'FORBIDDEN'], [403, 'FORBIDDEN'], [200]],
  '/v1/admin/operator': [[401], [401], [401], [401], [401], [401], [401]],
};

for (const [path, expected] of Object.entries(MATRIX)) {
  it(`only the permitted callers can use ${path}`, async () => {
    for (const [index, [status, code]] of expected.entries()) {
      const who = WHO[index]!;
      await using fresh = await aServer();
      const answer = await fresh.get(path, who === 'nobody' ? {} : as(who));
      assert.equal(answer.status, status, who);
      if (code) assert.equal(answer.body.code, code, who);
    }
  });
}

it("operator endpoints accept the operator's secret", async () => {
  assert.equal((await web.get('/v1/admin/operator', { 'x-admin-secret': 'secret' })).status, 200);
});

it('a read-only key can neither make changes nor send messages', async () => {
  assert.equal((await web.post('/v1/bearer', {}, as('reader'))).status, 403);
  assert.equal((await web.post('/v1/sessions/D1/messages', { type: 'text', body: 'x' }, as('reader'))).status, 403);
  assert.equal((await web.post('/v1/bearer', {}, as('owner'))).status, 200);
});

it("a key gets 404 for another tenant's device, and 403 for a device outside its scope", async () => {
  const send = (device: string, who: string) => web.post(`/v1/sessions/${device}/messages`, { type: 'text', body: 'x' }, as(who));
  assert.deepEqual((await send('D1', 'restricted')).body.device, 'D1');
  assert.equal((await send('D2', 'restricted')).body.code, 'FORBIDDEN');
  assert.equal((await send('D3', 'restricted')).body.code, 'NOT_FOUND');
  assert.equal((await send('D3', 'owner')).body.code, 'NOT_FOUND');
  assert.equal((await send('D9', 'owner')).status, 404);
});

it('each request is checked for credentials, permission, valid input and existence, in this order', async () => {
  const junk = '{"type":';
  assert.equal((await web.post('/v1/sessions/D9/messages', junk)).status, 401);
  await using fresh = await aServer();
  assert.equal((await fresh.post('/v1/sessions/D9/messages', junk, as('reader'))).status, 403);
  assert.equal((await fresh.post('/v1/sessions/D9/messages', junk, as('key'))).body.code, 'INVALID_JSON');
  assert.equal((await fresh.post('/v1/sessions/D9/messages', { type: 'text' }, as('key'))).body.code, 'VALIDATION_FAILED');
  assert.equal((await fresh.post('/v1/sessions/D9/messages', { type: 'text', body: 'x' }, as('key'))).status, 404);
});

it('a malformed Authorization header is treated as missing', async () => {
  for (const authorization of ['Bearer', 'Bearer ', 'Basic owner', 'owner', 'Bearer a b']) {
    assert.equal((await web.get('/v1/bearer', { authorization })).status, 401, authorization);
  }
});
