import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BUILT_IN, versionOf } from '../../actors/domain/client-build.ts';
import type { Network } from '../../actors/network/port.ts';
import type { Sandbox } from '../../actors/network/sandbox/sandbox.ts';
import { ANNA, aGateway, type Device, type Gateway, PHONE } from '../support/gateway.ts';
import { aLog } from '../support/log.ts';
import { scrape } from '../support/scrape.ts';
import { eachStore, embedded } from '../support/stores.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SENDER = '12025550100';
const PHONES = [PHONE, '6281100000002', '6281100000003'];
/** The virtual day is before the built-in build was made, so one day's worth above it may exist. */
const NEW = BUILT_IN + 100_000;
const [OLD_VERSION, NEW_VERSION] = [versionOf(BUILT_IN), versionOf(NEW)];

const build = async ({ operator }: Gateway) => (await operator('GET', '/v1/admin/network')).body.build;

/** Numbers whose logins announced this version, each as often as it was let in. */
const loginsWith = ({ sandbox }: Gateway, version: string): readonly string[] =>
  sandbox.journal
    .of('login')
    .filter((entry) => entry.version === version)
    .map(({ phone }) => phone);

/** A sandbox whose page is counted, or that has none. */
function counted(looks: { count: number } | null): (sandbox: Sandbox) => Network {
  return (sandbox) => {
    const { readBuildPage = async () => '', ...network } = sandbox.network();
    if (!looks) return network;
    return {
      ...network,
      readBuildPage() {
        looks.count += 1;
        return readBuildPage();
      },
    };
  };
}

async function threeDevices(gateway: Gateway) {
  const acme = await gateway.signUp();
  await gateway.operator('PATCH', `/v1/admin/tenants/${acme.id}`, { plan: 'starter' });
  const devices: Device[] = [];
  for (const phone of PHONES) devices.push(await acme.linked(phone));
  const statuses = () => Promise.all(devices.map((device) => device.status()));
  return {
    acme,
    devices,
    dropAll() {
      for (const phone of PHONES) gateway.sandbox.device(phone).fault({ kind: 'drop' });
    },
    areAll: (status: string) => gateway.until(`all are ${status}`, async () => (await statuses()).every((one) => one === status)),
  };
}

eachStore('a client build that the network no longer accepts', (kind) => {
  it('triggers one lookup and one trial on a canary device before the other devices switch', async (t) => {
    const { log, lines } = aLog();
    const looks = { count: 0 };
    const gateway = await aGateway(t, { kind, log, network: counted(looks) });
    const { acme, devices, dropAll, areAll } = await threeDevices(gateway);
    gateway.sandbox.builds({ current: NEW, min: NEW });
    dropAll();
    const canary = await gateway.until('a device tries it', async () => (await build(gateway)).canary?.session_id);
    await gateway.until('the canary is in', () => loginsWith(gateway, NEW_VERSION).length > 0);
    await gateway.clock.advance(MINUTE);
    const bodies = await Promise.all(devices.map(async ({ path }) => (await acme.api('GET', path)).body));
    for (const { id, status, reason, code } of bodies)
      assert.deepEqual([status, reason, code], id === canary ? ['connected', null, null] : ['disconnected', 'client_outdated', 405]);
    assert.equal(loginsWith(gateway, NEW_VERSION).length, 1, 'the others wait');
    assert.ok((await scrape(gateway.node.url)).value('gateway_login_refusals_total', { reason: 'client_outdated' }) >= 2);
    assert.ok(lines('network.login_refused').length >= 2);

    const tries = devices.find(({ id }) => id === canary) ?? assert.fail('the canary is none of them');
    await tries.text(ANNA, 'Hello');
    await areAll('connected');
    const { version, source, running, refused } = await build(gateway);
    assert.deepEqual([version, source], [NEW_VERSION, 'looked_up']);
    assert.deepEqual(running[0], { version: NEW_VERSION, devices: 3 });
    assert.deepEqual([refused[0].version, refused[0].code], [OLD_VERSION, 405]);
    assert.equal(lines('network.build_used').length, 1);
    assert.ok(!loginsWith(gateway, NEW_VERSION).includes(SENDER), 'the sender of codes is up and stays so');
    assert.ok(looks.count <= 2, `${looks.count} look-ups`);
  });

  it('is replaced by a pinned build, so that all devices reconnect without a restart', async (t) => {
    const gateway = await aGateway(t, { kind, network: counted(null) });
    const { dropAll, areAll } = await threeDevices(gateway);
    const pin = (body: object) => gateway.operator('POST', '/v1/admin/network/build', body);
    gateway.sandbox.builds({ min: NEW });
    dropAll();
    gateway.sandbox.device(SENDER).fault({ kind: 'drop' });
    await areAll('disconnected');
    await gateway.clock.advance(MINUTE);
    assert.deepEqual(loginsWith(gateway, NEW_VERSION), []);

    const answer = await pin({ version: NEW_VERSION });
    assert.deepEqual([answer.status, answer.body.build.version, answer.body.build.source], [200, NEW_VERSION, 'pinned']);
    const since = gateway.clock.now();
    await areAll('connected');
    await gateway.until('so is the sender', () => loginsWith(gateway, NEW_VERSION).includes(SENDER));
    assert.ok(gateway.clock.now() - since < MINUTE);
    assert.deepEqual((await build(gateway)).running, [{ version: NEW_VERSION, devices: 4 }]);

    assert.equal((await pin({ version: OLD_VERSION })).status, 409, 'the network refused it');
    assert.equal((await pin({ version: versionOf(BUILT_IN - 1) })).status, 400);
    for (const version of ['2.3000', '2.3000.4294967296', 'latest', 7]) assert.equal((await pin({ version })).status, 400, `${version}`);
    assert.equal((await pin({})).status, 400);
    assert.equal((await pin({ version: versionOf(BUILT_IN - 1), force: true })).status, 200);
    assert.equal((await pin({ version: null })).body.build.source, 'built_in');
    const { entries } = (await gateway.operator('GET', '/v1/admin/audit?action=network.pin_build')).body;
    assert.ok(entries.length >= 3);
    assert.deepEqual(entries.at(-1).changes, [{ field: 'version', from: null, to: NEW_VERSION }]);
  });
});

describe('a new client build', () => {
  it('is rolled back if it is refused on the canary device, and is tried at most twice a day', async (t) => {
    const { log, lines } = aLog();
    const gateway = await aGateway(t, { kind: embedded, log });
    await threeDevices(gateway);
    gateway.sandbox.builds({ current: NEW });
    await gateway.clock.advance(2 * HOUR);
    assert.deepEqual([(await build(gateway)).source, (await build(gateway)).canary], ['built_in', null], 'nobody reconnects for it');

    gateway.sandbox.device(PHONE).fault({ kind: 'outdated', forMs: MINUTE });
    await gateway.clock.advance(2 * MINUTE);
    const refused = () => gateway.sandbox.journal.of('login-refused').filter(({ version }) => version === NEW_VERSION).length;
    assert.equal(refused(), 1);
    assert.equal((await scrape(gateway.node.url)).value('gateway_client_build_canary_refusals'), 1);
    assert.deepEqual(
      lines('network.build_refused')
        .map(({ version, canary }) => [version, canary])
        .find(([, canary]) => canary),
      [NEW_VERSION, true],
    );
    assert.equal((await build(gateway)).version, OLD_VERSION);
    for (let hours = 0; hours < 3; hours += 1) {
      gateway.sandbox.device(PHONE).fault({ kind: 'outdated', forMs: MINUTE });
      await gateway.clock.advance(HOUR);
    }
    assert.equal(refused(), 2);
    const entries = gateway.sandbox.journal.after(0).filter(({ phone, what }) => phone === PHONE && what.startsWith('login'));
    assert.deepEqual([entries.at(-1)?.what, entries.at(-1)?.version], ['login', OLD_VERSION], 'it is back with the former build');
  });

  it('is tried on another canary if the first device is deleted, and is not marked as refused', async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    const { acme, devices } = await threeDevices(gateway);
    const { key } = (await acme.api('POST', '/v1/api-keys', { name: 'shop' })).body;
    gateway.sandbox.builds({ current: NEW });
    await gateway.clock.advance(2 * HOUR);
    for (const [nth, { id, path }] of devices.slice(0, 2).entries()) {
      gateway.sandbox.device(PHONES[nth] ?? PHONE).fault({ kind: 'drop' });
      await gateway.until('it tries it', () => loginsWith(gateway, NEW_VERSION).length === nth + 1);
      assert.equal((await build(gateway)).canary.session_id, id);
      await gateway.clock.advance(MINUTE);
      assert.equal((await gateway.during(gateway.as(key)('DELETE', path))).status, 200);
      const { canary, refused } = await build(gateway);
      assert.deepEqual([canary, refused], [null, []]);
    }
    await gateway.clock.advance(2 * HOUR);
    assert.equal((await build(gateway)).source, 'built_in', 'nobody was online with it for half an hour');
  });

  it('is needed by an expiry date that is shown to the operator and in the metrics', async (t) => {
    const { log, lines } = aLog();
    const gateway = await aGateway(t, { kind: embedded, log });
    await threeDevices(gateway);
    const end = gateway.clock.now() + 5 * 24 * HOUR;
    gateway.sandbox.builds({ noticeExpiresAt: end });
    await gateway.until('it is shown', async () => (await build(gateway)).expires_at === end);
    const seconds = (await scrape(gateway.node.url)).value('gateway_client_build_expires_seconds');
    assert.ok(seconds > 4.9 * 86_400 && seconds <= 5 * 86_400, `${seconds}`);
    assert.equal(lines('network.build_expires').length, 1);
    assert.deepEqual((await gateway.operator('GET', '/v1/admin/network')).body.unknown, { contents: {}, stanzas: {} });
    const next = await gateway.crash();
    await next.clock.advance(2 * MINUTE);
    assert.ok((await scrape(next.node.url)).value('gateway_client_build_expires_seconds') > 0, 'the next process knows it too');
    next.sandbox.builds({ noticeExpiresAt: null });
    await next.until('it is taken back', async () => (await build(next)).expires_at === null);
  });
});
