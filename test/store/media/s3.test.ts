import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { plansFrom } from '../../../actors/domain/plans.ts';
import { VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { readConfig } from '../../../scripts/wiring/config.ts';
import { startMedia } from '../../../scripts/wiring/media.ts';
import { got, PNG, pngOf, upload } from '../../actors/services/media/files.ts';
import { someChildren } from '../../runtime/child-processes/some-children.ts';
import { ANNA, aGateway, PHONE } from '../../support/gateway.ts';
import { anS3, s3Config } from '../../support/s3/server.ts';
import { SECRET_KEY } from '../../support/s3/signed.ts';
import { eachStore, type Scope, type StoreKind } from '../../support/stores.ts';

async function aBucketGateway(scope: Scope, kind: StoreKind, more: object = {}) {
  const s3 = await anS3(scope);
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const gateway = await aGateway(scope, { kind, config: { ...s3Config(s3), ...more }, log });
  const acme = await gateway.signUp();
  return { s3, gateway, acme, lines };
}

async function putTo(url: string, bytes: Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return (await fetch(url, { method: 'PUT', body: new Uint8Array(bytes), headers })).status;
}

eachStore('files in a bucket', (kind) => {
  it('can be uploaded, downloaded and sent through the gateway', async (t) => {
    const { s3, gateway, acme, lines } = await aBucketGateway(t, kind);
    const device = await acme.linked(PHONE);
    const { status, body } = await upload(gateway, acme, PNG, 'menu.png');
    assert.deepEqual([status, body.content_type, s3.keys().length], [201, 'image/png', 1]);
    assert.ok(s3.keys()[0]?.startsWith(`files/${acme.id}/`));
    const answer = await got(gateway, acme, `/v1/media/${body.key}`);
    assert.deepEqual([answer.bytes, answer.headers.get('content-type')], [PNG, 'image/png']);
    assert.match(answer.headers.get('content-disposition') ?? '', /^attachment/);
    await acme.api('POST', `${device.path}/messages`, { chat_id: ANNA, type: 'image', media_r2_key: body.key });
    await gateway.until('the picture arrives', () => gateway.sandbox.phone(ANNA).messages(1)[0]?.content.type === 'image');
    assert.equal((await acme.api('DELETE', `/v1/media/${body.key}`)).status, 200);
    assert.deepEqual(s3.keys(), []);
    assert.ok(!lines.join('').includes(SECRET_KEY));
  });

  it('can be uploaded directly to the bucket, and are then found under the returned key', async (t) => {
    const { s3, gateway, acme } = await aBucketGateway(t, kind);
    const order = { filename: '../menu.png', content_type: 'text/html', size: PNG.length };
    const { body } = await acme.api('POST', '/v1/media/upload-url', order);
    assert.ok(body.url.startsWith(`${s3.endpoint}/${s3.bucket}/incoming/${acme.id}/`));
    assert.equal((await acme.api('GET', `/v1/media/${body.key}`)).status, 404);
    assert.equal(await putTo(body.url, pngOf(PNG.length + 1)), 403, 'the size is signed');
    assert.equal(await putTo(body.url.replace('Signature=', 'Signature=0'), PNG), 403);
    assert.equal(await putTo(body.url, PNG), 200);
    const other = await gateway.signUp('Other', '+62 811-0000-8888');
    assert.equal((await other.api('GET', `/v1/media/${body.key}`)).status, 404);
    const [record, again] = await Promise.all(
      [1, 2].map(() => acme.api('GET', `/v1/media/${body.key}`, undefined, { accept: 'application/json' })),
    );
    assert.deepEqual(
      [record?.status, record?.body.filename, record?.body.content_type, record?.body.size],
      [200, 'menu.png', 'image/png', PNG.length],
    );
    assert.deepEqual(again?.body, record?.body);
    assert.equal(await putTo(body.url, Buffer.alloc(PNG.length, '<')), 200);
    assert.deepEqual((await got(gateway, acme, `/v1/media/${body.key}`)).bytes, PNG, 'a file does not change any more');
  });

  it('are listed once their upload address has expired, and are dropped if they were never uploaded', async (t) => {
    const { s3, gateway, acme } = await aBucketGateway(t, kind);
    const order = { filename: 'menu.png', content_type: 'image/png', size: PNG.length };
    const [used, unused] = [await acme.api('POST', '/v1/media/upload-url', order), await acme.api('POST', '/v1/media/upload-url', order)];
    await putTo(used.body.url, PNG);
    await gateway.clock.advance(25 * 60_000);
    const later = acme.tokens.token;
    await gateway.until('it is listed', async () => (await gateway.as(later)('GET', '/v1/media')).body.media[0]?.key === used.body.key);
    assert.deepEqual(
      s3.keys().map((key) => key.split('/')[0]),
      ['files'],
    );
    assert.equal((await acme.api('GET', `/v1/media/${unused.body.key}`)).status, 404);
    assert.equal(await gateway.store.collection({ name: 'promised_uploads', indexes: [] }).countDocuments({}), 0);
  });

  it('count towards the plan as soon as their upload is requested, and stop counting if they expire unused', async (t) => {
    const { gateway, acme } = await aBucketGateway(t, kind, { plans: plansFrom({ free: { media_bytes: 3 * PNG.length } }) });
    const promise = (size: number) => acme.api('POST', '/v1/media/upload-url', { filename: 'menu.png', content_type: 'image/png', size });
    const used = await promise(PNG.length);
    assert.equal(used.status, 201);
    await putTo(used.body.url, PNG);
    assert.equal((await promise(2 * PNG.length)).status, 201);
    assert.deepEqual([(await promise(1)).status, (await promise(1)).body.code], [402, 'LIMIT_REACHED']);
    await gateway.clock.advance(25 * 60_000);
    assert.equal((await promise(2 * PNG.length + 1)).status, 402, 'what was uploaded is there');
    assert.equal((await promise(2 * PNG.length)).status, 201);
  });

  it('do not delay other businesses, even if one business uploads many of them', async (t) => {
    const [s3, store] = [await anS3(t), await kind.fresh(t)];
    const config = { ...readConfig({}, '/nowhere'), ...s3Config(s3) };
    const { directFiles, media } = await startMedia(
      config,
      store,
      true,
      await someChildren(t),
      new VirtualClock(),
      pino({ level: 'silent' }),
    );
    assert.ok(directFiles);
    await store.prepare();
    const promise = (tenantId: string, key: string, at: number) =>
      directFiles.promise(
        { tenantId, key, filename: 'menu.png', size: PNG.length, owner: { devices: [], chat_id: null, agent_id: null } },
        at,
      );
    for (let nth = 0; nth < 60; nth += 1) await promise('many', `med_${nth}`, nth);
    await putTo((await promise('other', 'med_other', 1_000)).url, PNG);
    await directFiles.settle(25 * 60_000);
    const page = { limit: 10, before: null, beforeId: null };
    assert.deepEqual(
      (await Array.fromAsync(media.list('other', page, null))).map(({ _id }) => _id),
      ['med_other'],
    );
    assert.equal(await store.collection({ name: 'promised_uploads', indexes: [] }).countDocuments({}), 0);
  });

  it('are uploaded despite brief bucket errors, and rejected with 503 while the bucket is down', async (t) => {
    const { s3, gateway, acme } = await aBucketGateway(t, kind);
    s3.fail('PUT', 500, 2);
    const { status, body } = await upload(gateway, acme, PNG);
    assert.equal(status, 201);
    s3.fail('PUT', 503, 100);
    s3.fail('GET', 503, 100);
    assert.deepEqual(
      [(await upload(gateway, acme, PNG)).body.code, (await acme.api('GET', `/v1/media/${body.key}`)).body.code],
      ['UNAVAILABLE', 'UNAVAILABLE'],
    );
    assert.equal(s3.keys().length, 1);
  });

  it('cannot be uploaded with wrong access keys', async (t) => {
    const { s3, gateway, acme } = await aBucketGateway(t, kind, { s3_secret_access_key: 'another one' });
    assert.equal((await upload(gateway, acme, PNG)).status, 500);
    assert.deepEqual([s3.keys(), s3.log.at(-1)?.endsWith('403')], [[], true]);
  });
});

it('incomplete bucket settings are rejected at startup with the name of the missing setting', () => {
  const read = (env: NodeJS.ProcessEnv) => readConfig(env, '/nowhere');
  assert.throws(() => read({ S3_BUCKET: 'b1c', S3_ACCESS_KEY_ID: 'x' }), /S3_SECRET_ACCESS_KEY/);
  assert.throws(() => read({ S3_BUCKET: 'No Such Name' }), /S3_BUCKET/);
  const { s3_bucket, s3_region, s3_path_style } = read({ S3_BUCKET: 'b1c', S3_PATH_STYLE: 'false' });
  assert.deepEqual([s3_bucket, s3_region, s3_path_style], ['b1c', 'us-east-1', false]);
});
