import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aGateway } from '../../../support/gateway.ts';
import { anS3, s3Config } from '../../../support/s3/server.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { PNG } from './files.ts';

/** A file that was uploaded to the bucket and is not used yet. */
async function aFreshUpload(scope: Scope, kind: StoreKind) {
  const s3 = await anS3(scope);
  const gateway = await aGateway(scope, { kind, config: s3Config(s3) });
  const { api } = await gateway.signUp();
  const order = { filename: 'menu.png', content_type: 'image/png', size: PNG.length };
  const { key, url } = (await api('POST', '/v1/media/upload-url', order)).body;
  assert.equal((await fetch(url, { method: 'PUT', body: new Uint8Array(PNG) })).status, 200);
  const path = `/v1/media/${key}`;
  const get = async () => (await api('GET', path, undefined, { accept: 'application/json' })).status;
  return { s3, api, path, get };
}

eachStore('a file that was uploaded to the bucket', (kind) => {
  it('is there for all who use it first, and copied once', async (t) => {
    const { s3, get } = await aFreshUpload(t, kind);
    const before = s3.log.length;
    const found = await Promise.all(Array.from({ length: 20 }, get));
    assert.deepEqual([...new Set(found)], [200]);
    assert.equal(s3.log.slice(before).filter((line) => line.startsWith('PUT')).length, 1);
  });

  it('does not come back once it is deleted, though what was uploaded could not be removed at first', async (t) => {
    const { s3, api, path, get } = await aFreshUpload(t, kind);
    s3.fail('DELETE', 500, 3);
    await get();
    assert.equal(await get(), 200);
    assert.equal((await api('DELETE', path)).status, 200);
    assert.equal(await get(), 404);
    assert.deepEqual(s3.keys(), []);
  });
});
