import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { BUILT_IN, NO_BUILDS, versionOf } from '../../../../actors/domain/client-build.ts';
import {
  type BuildLogin,
  type ClientBuildService,
  createClientBuildService,
} from '../../../../actors/services/client-build/client-build.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { clientBuildsIn } from '../../../../store/devices/client-build.ts';
import type { Store } from '../../../../store/port.ts';
import { eachStore } from '../../../support/stores.ts';

const HOUR = 3_600_000;
const NEW = BUILT_IN + 100_000;
const [OLD_VERSION, NEW_VERSION] = [versionOf(BUILT_IN), versionOf(NEW)];
const page = (build: number): string => `"client_revision":${build}`;
const device = (sessionId: string, more: Partial<BuildLogin> = {}): BuildLogin => ({
  ...{ sessionId, isLinked: true, isSender: false, byItself: true },
  ...more,
});

async function versionFor(node: Pick<ClientBuildService, 'prepare' | 'forLogin'>, login: BuildLogin): Promise<string> {
  await node.prepare(login);
  return node.forLogin(login.sessionId).version;
}

/** Nodes over one store. `read` is the network's page. */
function aCluster(store: Store, read: () => Promise<string>) {
  const clock = new VirtualClock(Date.UTC(2026, 10, 28));
  const nodes: ReturnType<typeof createClientBuildService>[] = [];
  const nudged: (string | null)[] = [];
  const rows = clientBuildsIn(store);
  const node = () => {
    const made = createClientBuildService({
      ...{ rows, clock, settings: { pinned: null, canaries: [] }, readPage: read, log: pino({ level: 'silent' }) },
      broadcast: () => nodes.forEach((one) => void one.changed().catch(() => {})),
      nudge: (sessionId) => void nudged.push(sessionId),
    });
    nodes.push(made);
    return made;
  };
  return { clock, rows, nudged, node, all: () => Promise.all(nodes.map((one) => one.continueAll(clock.now()).then(() => one.idle()))) };
}

eachStore('client builds on several nodes', (kind) => {
  it('are looked up by one node at a time, once a day', async (t) => {
    const store = await kind.fresh(t);
    let looks = 0;
    const { clock, node, all } = aCluster(store, async () => {
      looks += 1;
      return page(NEW);
    });
    await store.prepare();
    const [one] = [node(), node(), node()];
    await all();
    assert.equal(looks, 1);
    await clock.advance(HOUR);
    await all();
    await all();
    assert.equal(looks, 2, 'the second look an hour later');
    await clock.advance(22 * HOUR);
    await all();
    assert.equal(looks, 2);
    assert.deepEqual([(await one.view()).version, (await one.view()).canary], [OLD_VERSION, null]);
  });

  it('are tried out on a single device, even if many devices reconnect on all nodes', async (t) => {
    const store = await kind.fresh(t);
    const { rows, node } = aCluster(store, async () => '');
    await store.prepare();
    await rows.write({ ...NO_BUILDS, candidate: { build: NEW, at: 0 } }, 0);
    const nodes = [node(), node(), node()];
    const versions = await Promise.all(
      Array.from({ length: 30 }, (_, nth) => versionFor(nodes[nth % 3] ?? assert.fail(), device(`d${nth}`))),
    );
    assert.equal(versions.filter((version) => version === NEW_VERSION).length, 1);
    const canary = (await nodes[0]?.view())?.canary?.session_id ?? '';
    assert.equal(await versionFor(nodes[2] ?? assert.fail(), device(canary)), NEW_VERSION, 'it moved, and goes on trying');
    nodes[1]?.heard(device(canary), NEW_VERSION, { type: 'opened', phone: '1', name: null, about: null });
    nodes[1]?.heard(device(canary), NEW_VERSION, { type: 'acked', netId: 'm', at: 0 });
    for (let tries = 0; tries < 100 && (await nodes[0]?.view())?.canary; tries += 1) await new Promise((done) => setImmediate(done));
    for (const one of nodes) {
      await one.changed();
      assert.equal(await versionFor(one, device('another', { byItself: false })), NEW_VERSION);
    }
  });

  it("are never tried out on the platform's own sender, a device being linked, or a manual connection", async (t) => {
    const store = await kind.fresh(t);
    const { rows, node } = aCluster(store, async () => '');
    await store.prepare();
    await rows.write({ ...NO_BUILDS, candidate: { build: NEW, at: 0 } }, 0);
    const one = node();
    for (const login of [device('s', { isSender: true }), device('l', { isLinked: false }), device('c', { byItself: false })])
      assert.equal(await versionFor(one, login), OLD_VERSION);
    assert.equal((await one.view()).canary, null);
  });

  it("take effect at each device's next login, and a device refused with an older build reconnects", async (t) => {
    const store = await kind.fresh(t);
    const { node, nudged } = aCluster(store, async () => '');
    await store.prepare();
    const [one, other] = [node(), node()];
    await one.prepare(device('a', { byItself: false }));
    assert.equal(one.forLogin('a').version, OLD_VERSION);
    await other.pin(NEW_VERSION, false);
    await one.changed();
    assert.equal(one.forLogin('a').version, NEW_VERSION);
    nudged.length = 0;
    one.heard(device('a'), OLD_VERSION, { type: 'closed', code: 405 });
    one.heard(device('b'), NEW_VERSION, { type: 'closed', code: 405 });
    assert.deepEqual(nudged, ['a']);
  });

  it('can be chosen even if the build page or the store does not respond', async (t) => {
    const store = await kind.fresh(t);
    const { clock, node, all, rows } = aCluster(store, () => Promise.reject(new Error('no page')));
    await store.prepare();
    const one = node();
    await all();
    assert.equal(await versionFor(one, device('a')), OLD_VERSION);
    await clock.advance(HOUR);
    await all();
    assert.deepEqual((await rows.read())?.builds.seen, null);
    const broken = createClientBuildService({
      rows: { read: () => Promise.reject(new Error('away')), write: () => Promise.reject(new Error('away')) },
      ...{ clock, settings: { pinned: NEW, canaries: [] }, readPage: null, log: pino({ level: 'silent' }) },
      broadcast: () => {},
      nudge: () => {},
    });
    assert.equal(await versionFor(broken, device('a')), NEW_VERSION);
  });
});
