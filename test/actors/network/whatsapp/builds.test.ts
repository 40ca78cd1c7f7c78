import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { BUILT_IN, versionOf } from '../../../../actors/domain/client-build.ts';
import { addressOf } from '../../../../runtime/listening.ts';
import type { Api } from '../../../support/gateway.ts';
import { calling } from '../../../support/gateway.ts';
import { embedded } from '../../../support/stores.ts';
import { aRealGateway, type RealGateway } from './gateway.ts';

const OWNER = '6281100009999';
const SHOPS = ['6281100000001', '6281100000002'] as const;
const ANNA = '6281100000077';
const NEW = BUILT_IN + 100_000;

async function twoShops(gateway: RealGateway) {
  const { node, peer, until, signUp, as, linked } = gateway;
  const api: Api = as(await signUp(OWNER));
  const operator = calling(node.url, { 'x-admin-secret': node.secrets.admin });
  const [tenant] = (await operator('GET', '/v1/admin/tenants')).body.tenants;
  await operator('PATCH', `/v1/admin/tenants/${tenant.id}`, { plan: 'starter' });
  const paths: string[] = [];
  for (const shop of SHOPS) paths.push(await linked(api, shop));
  const shown = (path: string) => api('GET', path).then(({ body }) => body);
  return {
    api,
    paths,
    shown,
    operator,
    cut: () => SHOPS.forEach((shop) => void peer.cut(shop)),
    areAll: (status: string, reason: string | null) =>
      until(`all are ${status}`, async () =>
        (await Promise.all(paths.map(shown))).every((one) => one.status === status && one.reason === reason),
      ),
    /** Builds that logins of this number announced, the last one first. */
    builds: (digits: string) =>
      peer.journal
        .events('introduced')
        .filter(({ facts }) => facts['phone'] === digits)
        .map(({ facts }) => facts['build'])
        .toReversed(),
  };
}

/** The page of the network's current build. */
async function aPage(t: TestContext) {
  let asked = 0;
  const server = createServer((_request, answer) => {
    asked += 1;
    answer.end(`x=JSON.parse("{\\"client_revision\\":${NEW}}")`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => void server.close());
  return { url: `http://127.0.0.1:${addressOf(server).port}/sw.js`, asked: () => asked };
}

describe('an outdated client build', () => {
  it('is reported on every refused device, all of which reconnect when a newer build is pinned', async (t) => {
    const gateway = await aRealGateway(t, embedded);
    const { peer, until, clock } = gateway;
    const { api, operator, cut, areAll, builds } = await twoShops(gateway);
    assert.deepEqual(builds(SHOPS[0])[0], BUILT_IN);
    peer.fault({ kind: 'refuse-builds', below: NEW });
    cut();
    await areAll('disconnected', 'client_outdated');
    const { id } = (await api('POST', '/v1/sessions', { name: 'Third' })).body;
    await api('POST', `/v1/sessions/${id}/connect`);
    const { status, code } = await until('it is shown', async () => {
      const { body } = await api('GET', `/v1/sessions/${id}`);
      return body.reason === 'client_outdated' && body;
    });
    assert.deepEqual([status, code], ['pending', 405]);
    const since = clock.now();
    assert.equal((await operator('POST', '/v1/admin/network/build', { version: versionOf(NEW) })).status, 200);
    await areAll('connected', null);
    assert.ok(clock.now() - since < 60_000);
    for (const shop of SHOPS) assert.equal(builds(shop)[0], NEW);
    assert.deepEqual((await operator('GET', '/v1/admin/network')).body.build.running[0], { version: versionOf(NEW), devices: 2 });
  });

  it('is replaced by a build from the configured page, which a single device tries first', async (t) => {
    const { url, asked } = await aPage(t);
    const gateway = await aRealGateway(t, embedded, { config: { whatsapp_version_url: url } });
    const { peer, until, clock } = gateway;
    const { api, paths, shown, operator, cut, areAll, builds } = await twoShops(gateway);
    peer.fault({ kind: 'refuse-builds', below: NEW });
    cut();
    const { session_id: canary } = await until('one tries', async () => (await operator('GET', '/v1/admin/network')).body.build.canary);
    await clock.advance(20_000);
    const states = await Promise.all(paths.map(shown));
    assert.deepEqual(states.map(({ id, reason }) => [id === canary, reason]).toSorted(), [
      [false, 'client_outdated'],
      [true, null],
    ]);
    assert.equal(SHOPS.filter((shop) => builds(shop).includes(NEW)).length, 1);
    await api('POST', `/v1/sessions/${canary}/messages`, { chat_id: ANNA, type: 'text', body: 'Hello' });
    await areAll('connected', null);
    assert.equal((await operator('GET', '/v1/admin/network')).body.build.source, 'looked_up');
    assert.ok(asked() <= 2, `${asked()}`);
  });

  it('has an expiry date that the network can set and withdraw, but not to an invalid date', async (t) => {
    const gateway = await aRealGateway(t, embedded);
    const { peer, until, clock } = gateway;
    const { operator } = await twoShops(gateway);
    const expiry = async (): Promise<number | null> => (await operator('GET', '/v1/admin/network')).body.build.expires_at;
    const end = Math.floor(clock.now() / 1_000) + 10 * 86_400;
    peer.announcesExpiry(SHOPS[0], end);
    await until('it is shown', async () => (await expiry()) === end * 1_000);
    for (const t of [end + 5, 'soon', '-1']) peer.announcesExpiry(SHOPS[1], t);
    await clock.advance(1_000);
    assert.equal(await expiry(), end * 1_000);
    peer.announcesExpiry(SHOPS[1], null);
    await until('it is taken back', async () => (await expiry()) === null);
  });
});
