import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import { newId } from '../../../../runtime/ids.ts';
import type { Doc } from '../../../../store/port.ts';
import { aGateway } from '../../../support/gateway.ts';
import { anS3, s3Config } from '../../../support/s3/server.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { PNG, pngOf, upload } from './files.ts';

/** A file that was uploaded to the bucket and is not used yet. */
async function aFreshUpload(scope: Scope, kind: StoreKind) {
  const s3 = await anS3(scope);
  const gateway = await aGateway(scope, { kind, config: s3Config(s3) });
  const { id, api } = await gateway.signUp();
  const order = { filename: 'menu.png', content_type: 'image/png', size: PNG.length };
  const { key, url } = (await api('POST', '/v1/media/upload-url', order)).body;
  assert.equal((await fetch(url, { method: 'PUT', body: new Uint8Array(PNG) })).status, 200);
  const path = `/v1/media/${key}`;
  const get = async () => (await api('GET', path, undefined, { accept: 'application/json' })).status;
  return { s3, gateway, tenantId: id, api, path, get };
}

eachStore('a file uploaded to the bucket', (kind) => {
  it('can be read by many clients at the same time, and is copied only once', async (t) => {
    const { s3, get } = await aFreshUpload(t, kind);
    const before = s3.log.length;
    const found = await Promise.all(Array.from({ length: 20 }, get));
    assert.deepEqual([...new Set(found)], [200]);
    assert.equal(s3.log.slice(before).filter((line) => line.startsWith('PUT')).length, 1);
  });

  it('is deleted with its tenant, even if the bucket rejects writes', async (t) => {
    const { s3, gateway, tenantId, api } = await aFreshUpload(t, kind);
    s3.fail('PUT', 403, 1_000);
    assert.equal((await gateway.during(api('DELETE', '/v1/account', { confirm: true }))).status, 202);
    gateway.clock.jump(31 * 60_000);
    const accounts = gateway.store.collection<Doc>({ name: 'tenants', indexes: [] });
    await gateway.until('the account is gone', async () => (await accounts.findOne({ _id: tenantId })) === null);
    assert.equal(await gateway.store.collection<Doc>({ name: 'promised_uploads', indexes: [] }).countDocuments({}), 0);
    assert.deepEqual(s3.keys(), []);
  });

  it('stays deleted, even if the original upload could not be removed at first', async (t) => {
    const { s3, api, path, get } = await aFreshUpload(t, kind);
    s3.fail('DELETE', 500, 3);
    await get();
    assert.equal(await get(), 200);
    assert.equal((await api('DELETE', path)).status, 200);
    assert.equal(await get(), 404);
    assert.deepEqual(s3.keys(), []);
  });
});

const LIMIT = 3_000;

/** A business that may store 3,000 bytes, in a bucket. */
async function aSmallShop(scope: Scope, kind: StoreKind) {
  const s3 = await anS3(scope);
  const gateway = await aGateway(scope, { kind, config: { ...s3Config(s3), plans: plansFrom({ free: { media_bytes: LIMIT } }) } });
  const acme = await gateway.signUp();
  const promised = async (size: number) => {
    const { status, body } = await acme.api('POST', '/v1/media/upload-url', { filename: 'a.png', content_type: 'image/png', size });
    return { status, ...body, sent: () => fetch(body.url, { method: 'PUT', body: new Uint8Array(pngOf(size)) }) };
  };
  return {
    gateway,
    promised,
    store: async (size: number) => (await upload(gateway, acme, pngOf(size))).status,
    get: async (key: string) => (await acme.api('GET', `/v1/media/${key}`, undefined, { accept: 'application/json' })).status,
    remove: async (key: string) => (await acme.api('DELETE', `/v1/media/${key}`)).status,
    used: async () => (await acme.api('GET', '/v1/usage')).body.media_bytes.used,
    /** As after a process that died: what is full is counted anew, not more often than each ten minutes. */
    recounted: async () => {
      gateway.clock.jump(600_000);
      assert.equal((await upload(gateway, acme, pngOf(LIMIT))).status, 402);
    },
  };
}

eachStore('storage reserved by an upload URL', (kind) => {
  it('is unavailable to other files, and becomes free when its file is deleted', async (t) => {
    const { promised, store, get, remove, used, recounted } = await aSmallShop(t, kind);
    const { key, sent } = await promised(2_000);
    assert.deepEqual([await store(1_001), await store(1_000), await used()], [402, 201, LIMIT]);
    await recounted();
    assert.equal((await sent()).status, 200);
    assert.deepEqual([await get(key), await used()], [200, LIMIT]);
    await recounted();
    assert.equal(await used(), LIMIT);
    assert.deepEqual([await remove(key), await used(), await store(2_000), await store(100)], [200, 1_000, 201, 402]);
  });

  it('never exceeds the limit, even for concurrent requests, and becomes free if nothing is uploaded', async (t) => {
    const { gateway, promised, used } = await aSmallShop(t, kind);
    const statuses = (await Promise.all(Array.from({ length: 5 }, () => promised(1_000)))).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [201, 201, 201, 402, 402]);
    assert.equal(await used(), LIMIT);
    gateway.clock.jump(20 * 60_000);
    await gateway.until('the addresses are forgotten', async () => (await used()) === 0);
  });

  it('is not counted twice if the process crashes before it records the upload', async (t) => {
    const { gateway, promised, get, remove, used } = await aSmallShop(t, kind);
    const { key, sent } = await promised(2_000);
    await sent();
    assert.equal(await get(key), 200);
    const rows = gateway.store.collection<Doc>({ name: 'media_usage', indexes: [] });
    const [{ _id }] = (await rows.find({}).toArray()) as [Doc];
    await rows.updateOne({ _id }, { $set: { [`reserved.${key}`]: { size: 2_000, at: gateway.clock.now() } } });
    await gateway.store.collection<Doc>({ name: 'promised_uploads', indexes: [] }).insertOne(unsettled(_id, key, gateway.clock.now()));
    assert.deepEqual([await used(), await remove(key), await used()], [2_000, 200, 0]);
  });
});

const unsettled = (tenant_id: string, key: string, now: number) => {
  const owner = { devices: ['*'], chat_id: null, agent_id: null };
  return { _id: key, tenant_id, upload: newId(now), filename: 'a.png', size: 2_000, owner, expires_at: now + 1_000 };
};
