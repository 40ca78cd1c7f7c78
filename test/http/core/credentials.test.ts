import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTokens } from '../../../http/auth/tokens.ts';
import { aServer, as } from '../../support/http-sample.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

it("rejected credentials are logged with the caller's address, the credentials' prefix and the reason", async () => {
  await using web = await aServer();
  await web.get('/v1/bearer', as('a-key-that-nobody-has'));
  await web.get('/v1/bearer');
  const said = web.lines.filter(({ msg }) => msg === 'credentials were refused');
  assert.deepEqual(
    said.map(({ row, address, prefix, because }) => [row, address, prefix, because]),
    [
      ['bearer', '127.0.0.1', 'a-key-th', 'refused'],
      ['bearer', '127.0.0.1', undefined, 'no bearer token'],
    ],
  );
  assert.doesNotMatch(JSON.stringify(web.lines), /a-key-that/);
});

it('responses with tokens or personal data cannot be cached, and HTTPS responses set HSTS', async () => {
  await using web = await aServer({ baseUrl: 'https://gateway.example' });
  for (const path of ['/v1/bearer', '/v1/find/A', '/v1/nothing', '/open', '/nowhere']) {
    const { headers } = await web.get(path, as('owner'));
    assert.equal(headers.get('cache-control'), 'no-store', path);
    assert.match(headers.get('strict-transport-security') ?? '', /^max-age=31536000/);
  }
  assert.equal((await web.get('/v1/bearer')).headers.get('cache-control'), 'no-store', 'a refusal, too');
  for (const path of ['/docs/', '/docs/api', '/openapi.json'])
    assert.equal((await web.get(path)).headers.get('cache-control'), 'no-cache', path);
  await using plain = await aServer();
  assert.equal((await plain.get('/v1/bearer', as('owner'))).headers.get('strict-transport-security'), null);
});

it('a token is accepted only in its canonical form', async () => {
  const tokens = createTokens('a secret');
  const token = await tokens.issue({ tenantId: 'T', role: 'admin', agentId: 'T', family: 'F' }, 0);
  assert.equal((await tokens.read(token, 0))?.tenantId, 'T');
  const last = LETTERS.indexOf(token.at(-1)!);
  for (const bits of [1, 2, 3]) {
    const other = token.slice(0, -1) + LETTERS[last ^ bits];
    assert.deepEqual(Buffer.from(other.split('.')[2]!, 'base64url'), Buffer.from(token.split('.')[2]!, 'base64url'), 'the same bytes');
    assert.equal(await tokens.read(other, 0), null);
  }
});
