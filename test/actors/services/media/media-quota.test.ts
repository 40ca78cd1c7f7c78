import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import { sandboxVerbs } from '../../../../actors/network/sandbox/api.ts';
import type { Doc } from '../../../../store/port.ts';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { aDirectory, eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { pngOf, upload } from './files.ts';

const LIMIT = 3_000;

/** A business that may store 3,000 bytes. */
async function aShop(scope: Scope, kind: StoreKind) {
  const data_dir = aDirectory(scope);
  const gateway = await aGateway(scope, { kind, config: { data_dir, plans: plansFrom({ free: { media_bytes: LIMIT } }) } });
  const acme = await gateway.signUp();
  return {
    gateway,
    acme,
    store: (size: number) => upload(gateway, acme, pngOf(size)),
    usage: async () => (await acme.api('GET', '/v1/usage')).body.media_bytes,
    onDisk: () =>
      readdirSync(join(data_dir, 'media'), { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile() && !entry.name.startsWith('store-'),
      ).length,
  };
}

eachStore("files that exceed the plan's storage", (kind) => {
  it('are rejected and not stored until others are deleted', async (t) => {
    const { acme, store, usage, onDisk } = await aShop(t, kind);
    const { key } = (await store(2_000)).body;
    assert.deepEqual(await usage(), { used: 2_000, limit: LIMIT });
    const refused = await store(1_001);
    assert.deepEqual([refused.status, refused.body.code], [402, 'LIMIT_REACHED']);
    const address = { filename: 'a.png', content_type: 'image/png', size: 1_001 };
    assert.equal((await acme.api('POST', '/v1/media/upload-url', address)).body.code, 'LIMIT_REACHED');
    assert.deepEqual([(await acme.api('GET', '/v1/media')).body.media.length, onDisk(), (await usage()).used], [1, 1, 2_000]);
    assert.equal((await store(1_000)).status, 201);
    assert.equal((await acme.api('DELETE', `/v1/media/${key}`)).status, 200);
    assert.deepEqual([(await usage()).used, (await store(2_000)).status], [1_000, 201]);
  });

  it('are rejected at the exact limit, even in concurrent uploads', async (t) => {
    const { store, usage, onDisk } = await aShop(t, kind);
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => store(1_000)))).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [201, 201, 201, 402, 402, 402, 402, 402]);
    assert.deepEqual([(await usage()).used, onDisk()], [LIMIT, 3]);
  });

  it('stay on the network until there is space if a customer sent them', async (t) => {
    const { gateway, acme, store, usage } = await aShop(t, kind);
    const device = await acme.linked(PHONE);
    const { key } = (await store(2_500)).body;
    sandboxVerbs(gateway.sandbox).write(ANNA, { to: PHONE, type: 'image', file: { base64: pngOf(1_000).toString('base64') } });
    const inbound = async () => (await acme.api('GET', `${device.path}/messages?direction=inbound`)).body.messages;
    const [{ id }] = await gateway.until('it came', async () => ((await inbound()).length > 0 ? inbound() : null));
    assert.equal((await device.message(id)).error, 'media_not_fetched');
    assert.equal((await gateway.during(acme.api('GET', `${device.path}/messages/${id}/media`))).status, 402);
    await acme.api('DELETE', `/v1/media/${key}`);
    assert.equal((await gateway.during(acme.api('GET', `${device.path}/messages/${id}/media`))).status, 200);
    assert.equal((await usage()).used, 1_000);
  });

  it('are accepted again after a recount if a crashed process left a count that was too high', async (t) => {
    const { gateway, acme, store, usage } = await aShop(t, kind);
    await store(500);
    const rows = gateway.store.collection<Doc>({ name: 'media_usage', indexes: [] });
    const left = { size: 2_400, at: gateway.clock.now() - 2 * 3_600_000 };
    await rows.updateOne({ _id: acme.id }, { $inc: { bytes: 2_400 }, $set: { 'reserved.01ARZ3NDEKTSV4RRFFQ69G5FAV': left } });
    // It was counted a moment ago, and is not again for ten minutes.
    assert.equal((await store(1_000)).status, 402);
    gateway.clock.jump(600_000);
    assert.equal((await store(1_000)).status, 201);
    assert.equal((await usage()).used, 1_500);
  });
});
