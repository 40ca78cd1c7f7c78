import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { calling } from '../../../support/gateway.ts';
import { embedded } from '../../../support/stores.ts';
import { upload } from '../../services/media/files.ts';
import { aRealGateway } from './gateway.ts';
import { trustFilesOf } from './trusting.ts';

/** `CAMPAIGN_PEOPLE=10000`: the longer form. */
const PEOPLE = Number(process.env['CAMPAIGN_PEOPLE'] ?? 24);
const [OWNER, ...SHOPS] = ['6281100009999', '6281100000001', '6281100000002'] as const;
/** Nothing waits but for the network. */
const SETTINGS = {
  pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false },
  send_window: { enabled: false },
  warmup: { enabled: false },
};

describe(`a campaign of ${PEOPLE} people with a picture`, () => {
  it('converts the picture once, and uploads it once per sending device', async (t) => {
    const gateway = await aRealGateway(t, embedded);
    const { peer, node, clock } = gateway;
    trustFilesOf(peer, t);
    const token = await gateway.signUp(OWNER);
    const api = gateway.as(token);
    const operator = calling(node.url, { 'x-admin-secret': node.secrets.admin });
    assert.equal((await api('PUT', '/v1/settings', SETTINGS)).status, 200);
    const [{ id: tenant }] = (await operator('GET', `/v1/admin/tenants?q=${OWNER}`)).body.tenants;
    assert.equal((await operator('PATCH', `/v1/admin/tenants/${tenant}`, { plan: 'business' })).status, 200);
    const paths: string[] = [];
    for (const shop of SHOPS) paths.push(await gateway.linked(api, shop));
    const rotator = { name: 'Both', session_ids: paths.map((path) => path.split('/').at(-1)), strategy: 'round_robin' };
    const { id: rotator_id } = (await api('POST', '/v1/rotators', rotator)).body;
    const photo = sharp({ create: { width: 2_000, height: 1_000, channels: 3, background: 'red' } }).jpeg();
    const { key } = (await upload(gateway, { tokens: { token } }, await photo.toBuffer(), 'menu.jpg')).body;

    const figures = async () => [(await operator('GET', '/v1/admin/health')).body.media_worker.jobs, peer.media.uploads];
    const runs = async (name: string, message_type: string): Promise<readonly number[]> => {
      const before = await figures();
      const recipients = Array.from({ length: PEOPLE }, (_, nth) => ({ phone: `62812111${String(nth).padStart(5, '0')}` }));
      const file = { media_r2_key: key, caption: 'Hi {{name|you}}' };
      const draft = await api('POST', '/v1/blasts', { rotator_id, name, message_type, ...file, recipients });
      assert.equal(draft.status, 201, JSON.stringify(draft.body));
      const path = `/v1/blasts/${draft.body.id}`;
      await api('POST', `${path}/start`, { consent_attested: true });
      let body = (await api('GET', path)).body;
      for (let tries = 0; tries < 20 + PEOPLE && body.status !== 'completed'; tries += 1) {
        await clock.advance(5_000);
        body = (await api('GET', path)).body;
      }
      assert.deepEqual([body.status, body.sent_count, body.failed_count], ['completed', PEOPLE, 0], JSON.stringify(body));
      return (await figures()).map((figure, nth) => figure - Number(before[nth]));
    };
    assert.deepEqual(await runs('first', 'image'), [1, SHOPS.length]);
    assert.deepEqual(await runs('again', 'image'), [0, 0]);
    const shown = peer.contact('6281211100000').shows();
    assert.deepEqual(
      shown.map(({ message }) => [message.imageMessage?.width, message.imageMessage?.caption]),
      Array.from({ length: 2 }, () => [1_600, 'Hi you']),
    );
  });
});
