import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aGateway, type Gateway } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { got, PNG, pngOf } from './files.ts';

const MINUTE = 60_000;

async function putTo(url: string, bytes: Buffer): Promise<{ status: number; code: string | undefined; key: string | undefined }> {
  const response = await fetch(url, { method: 'PUT', body: new Uint8Array(bytes), headers: { 'content-type': 'image/png' } });
  const { code, key } = (await response.json()) as { code?: string; key?: string };
  return { status: response.status, code, key };
}

eachStore('an upload URL', (kind) => {
  it('accepts its file only once, without credentials, and under the announced key', async (t) => {
    const gateway: Gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const order = { filename: 'menu.png', content_type: 'text/html', size: PNG.length };
    const { status, body } = await acme.api('POST', '/v1/media/upload-url', order);
    assert.deepEqual([status, body.expires_at], [201, gateway.clock.now() + 15 * MINUTE]);
    assert.ok(body.url.startsWith(gateway.node.url));
    assert.equal((await acme.api('GET', `/v1/media/${body.key}`)).status, 404);

    assert.equal((await putTo(body.url, pngOf(PNG.length + 1))).code, 'PAYLOAD_TOO_LARGE');
    assert.deepEqual(await putTo(body.url, PNG), { status: 201, code: undefined, key: body.key });
    const answer = await got(gateway, acme, `/v1/media/${body.key}`);
    assert.deepEqual([answer.bytes, answer.headers.get('content-type')], [PNG, 'image/png']);
    assert.equal((await putTo(body.url, pngOf(PNG.length))).code, 'CONFLICT');
    assert.deepEqual((await got(gateway, acme, `/v1/media/${body.key}`)).bytes, PNG);
  });

  it('is rejected if it is modified, expired or made up', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const order = { filename: 'menu.png', content_type: 'image/png', size: 1_000 };
    const { url } = (await acme.api('POST', '/v1/media/upload-url', order)).body;
    const forged = new URL(url);
    const text = Buffer.from(JSON.stringify({ tenantId: acme.id, key: 'med_1', filename: 'x', size: 9, expiresAt: 9e15 })).toString(
      'base64url',
    );
    forged.pathname = `/v1/media/uploads/${text}.${url.split('.').at(-1)}`;
    for (const wrong of [forged.href, url.slice(0, -2), `${gateway.node.url}/v1/media/uploads/x`])
      assert.equal((await putTo(wrong, PNG)).code, 'FORBIDDEN');
    await gateway.clock.advance(15 * MINUTE);
    assert.equal((await putTo(url, PNG)).code, 'FORBIDDEN');
    assert.deepEqual((await acme.api('GET', '/v1/media')).body.media, []);
    assert.equal((await acme.api('POST', '/v1/media/upload-url', { ...order, size: 26 * 1024 * 1024 })).body.code, 'VALIDATION_FAILED');
  });

  it('becomes invalid when its file is deleted or its tenant is suspended', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const order = { filename: 'menu.png', content_type: 'image/png', size: PNG.length };
    const link = async () => (await acme.api('POST', '/v1/media/upload-url', order)).body;
    const used = await link();
    assert.equal((await putTo(used.url, PNG)).status, 201);
    assert.equal((await acme.api('DELETE', `/v1/media/${used.key}`)).status, 200);
    assert.equal((await putTo(used.url, PNG)).code, 'FORBIDDEN');
    assert.equal((await acme.api('GET', `/v1/media/${used.key}`)).status, 404);

    const unused = await link();
    await gateway.operator('PATCH', `/v1/admin/tenants/${acme.id}`, { suspended: true });
    assert.equal((await putTo(unused.url, PNG)).code, 'FORBIDDEN');
  });
});
