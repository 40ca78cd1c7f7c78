import assert from 'node:assert/strict';
import { it } from 'node:test';
import { story } from './account-fixture.ts';

story('API key lists', (fixture) => {
  it('are returned in pages, newest first, and include revoked keys', async () => {
    const { call, signUp } = fixture();
    const { token } = await signUp();
    const ids: string[] = [];
    for (let nth = 0; nth < 5; nth += 1) ids.push((await call('POST', '/v1/api-keys', { token, body: { name: `Key ${nth}` } })).body.id);
    await call('DELETE', `/v1/api-keys/${ids[3]}`, { token });
    const page = async (query: string) => (await call('GET', `/v1/api-keys?limit=2${query}`, { token })).body;
    const seen: string[] = [];
    let query = '';
    for (let pages = 0; pages < 3; pages += 1) {
      const { api_keys, next_before, next_before_id } = await page(query);
      seen.push(...api_keys.map(({ id }: { id: string }) => id));
      query = `&before=${next_before}&before_id=${next_before_id}`;
    }
    assert.deepEqual(seen, ids.toReversed());
    assert.equal(query, '&before=null&before_id=null');
    assert.equal((await call('GET', '/v1/api-keys?limit=201', { token })).status, 400);
  });
});
