import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachStore } from '../../../support/stores.ts';
import { open, ticketUrl } from './listener.ts';
import { aLiveFixture } from './live-fixture.ts';

const SOON_MS = 5_000;

eachStore('a live stream', (kind) => {
  it('ends when its own login ends, but not when another login ends', async (t) => {
    const { gateway, tenant, listen, key } = await aLiveFixture(t, kind);
    const [byLogin, byKey] = [await listen(), await listen((await key()).api)];
    await tenant.api('POST', '/auth/logout');
    await gateway.clock.advance(SOON_MS);
    assert.deepEqual([byLogin.isClosed, byKey.isClosed], [true, false]);
  });

  it('ends when its own key is revoked, but not when another key is revoked', async (t) => {
    const { gateway, tenant, listen, key } = await aLiveFixture(t, kind);
    await key();
    const { id, api } = await key();
    const [byLogin, byKey] = [await listen(), await listen(api)];
    assert.equal((await tenant.api('DELETE', `/v1/api-keys/${id}`)).status, 200);
    await gateway.clock.advance(SOON_MS);
    assert.deepEqual([byLogin.isClosed, byKey.isClosed], [false, true]);
  });

  it('ends when the devices of its key change', async (t) => {
    const { gateway, tenant, device, listen, key } = await aLiveFixture(t, kind);
    const { id, api } = await key();
    const stream = await listen(api);
    assert.equal((await tenant.api('PATCH', `/v1/api-keys/${id}`, { session_ids: [device.id] })).status, 200);
    await gateway.clock.advance(SOON_MS);
    assert.equal(stream.isClosed, true);
  });

  it('ends when its key expires, even if no event occurs', async (t) => {
    const { gateway, listen, key } = await aLiveFixture(t, kind);
    const { api } = await key({ expires_at: gateway.clock.now() + 60_000 });
    const stream = await listen(api);
    await gateway.clock.advance(55_000);
    assert.equal(stream.isClosed, false);
    await gateway.clock.advance(5_000 + SOON_MS);
    assert.equal(stream.isClosed, true);
  });

  it("ends when its key is rotated, which also invalidates the key's tickets", async (t) => {
    const { gateway, tenant, listen, key } = await aLiveFixture(t, kind);
    const { id, api } = await key();
    const [stream, url] = [await listen(api), await ticketUrl(api)];
    assert.equal((await tenant.api('POST', `/v1/api-keys/${id}/rotate`)).status, 200);
    await gateway.clock.advance(SOON_MS);
    assert.deepEqual([stream.isClosed, (await open(gateway.node.url, url)).status], [true, 401]);
  });

  it("ends when its key gets a new IP address restriction, which also invalidates the key's tickets", async (t) => {
    const { gateway, tenant, listen, key } = await aLiveFixture(t, kind);
    const { id, api } = await key();
    const allow = (allowed_ips: readonly string[]) => tenant.api('PATCH', `/v1/api-keys/${id}`, { allowed_ips });
    const [stream, url] = [await listen(api), await ticketUrl(api)];
    assert.equal((await allow(['127.0.0.0/8'])).status, 200);
    await gateway.clock.advance(SOON_MS);
    assert.equal(stream.isClosed, false, 'from here it still may');
    assert.equal((await allow(['203.0.113.0/24'])).status, 200);
    await gateway.clock.advance(SOON_MS);
    assert.deepEqual([stream.isClosed, (await open(gateway.node.url, url)).status], [true, 401]);
  });

  it("ends when its login token expires, even if no event occurs, which also invalidates the login's tickets", async (t) => {
    const { gateway, tenant, listen } = await aLiveFixture(t, kind);
    gateway.clock.jump(7_200_000 - 60_000);
    const stream = await listen();
    await gateway.clock.advance(30_000);
    const url = await ticketUrl(tenant.api);
    assert.equal(stream.isClosed, false);
    await gateway.clock.advance(30_000 + SOON_MS);
    assert.deepEqual([stream.isClosed, (await open(gateway.node.url, url)).status], [true, 401]);
  });

  it('ends when its tenant is suspended', async (t) => {
    const { gateway, tenant, listen } = await aLiveFixture(t, kind);
    const stream = await listen();
    assert.equal((await gateway.operator('PATCH', `/v1/admin/tenants/${tenant.id}`, { suspended: true })).status, 200);
    await gateway.clock.advance(SOON_MS);
    assert.equal(stream.isClosed, true);
  });

  it('ends when its client stops reading, without affecting other streams', async (t) => {
    const { gateway, tenant, listen } = await aLiveFixture(t, kind);
    const [slow, quick] = [await listen(), await listen()];
    slow.pause();
    const reason = 'x'.repeat(100_000);
    let sent = 0;
    for (; gateway.node.live.size === 2 && sent < 1_000; sent += 1) {
      gateway.node.live.emit(tenant.id, null, { type: 'blast.paused', data: { blast_id: String(sent), reason } });
      await gateway.until('the quick one receives it', () => quick.events.length === sent + 1);
    }
    assert.ok(sent < 1_000, 'the slow one was never closed');
    assert.deepEqual([gateway.node.live.size, quick.isClosed], [1, false]);
  });

  it('ends when the node stops, which does not wait for the client', async (t) => {
    const { gateway, listen } = await aLiveFixture(t, kind);
    const stream = await listen();
    await gateway.crash();
    assert.equal(stream.isClosed, true);
  });
});

eachStore('the limit on concurrent live streams', (kind) => {
  it('is 20 per tenant, and a closed stream makes room for another', async (t) => {
    const { gateway, tenant, listen } = await aLiveFixture(t, kind);
    const streams = await Promise.all(Array.from({ length: 20 }, () => listen()));
    const one = await gateway.api('GET', await ticketUrl(tenant.api));
    assert.deepEqual([one.status, one.body.code, one.headers.get('retry-after')], [429, 'RATE_LIMITED', '15']);
    const shown = ['limit', 'remaining', 'reset'].map((name) => one.headers.get(`ratelimit-${name}`));
    assert.deepEqual(shown, ['20', '0', '15'], 'which limit that is');
    streams[0]!.close();
    await gateway.until('it is gone', () => gateway.node.live.size === 19);
    assert.equal((await listen()).status, 200);
  });

  it('can be lowered for a node by configuration', async (t) => {
    const { gateway, listen } = await aLiveFixture(t, kind, { streams_per_node: 1 });
    await listen();
    const other = await gateway.signUp('Other', '+62 811-0000-8888');
    assert.equal((await open(gateway.node.url, await ticketUrl(other.api))).status, 429);
  });
});
