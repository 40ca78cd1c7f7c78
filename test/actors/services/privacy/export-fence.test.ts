import assert from 'node:assert/strict';
import { it } from 'node:test';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import type { MediaBytes } from '../../../../store/media/media.ts';
import type { Doc } from '../../../../store/port.ts';
import { exportsIn } from '../../../../store/privacy/exports.ts';
import { busyStore } from '../../../support/busy-store.ts';
import { aGateway } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aReceiver } from '../webhooks/receiver.ts';
import { DORA, erasingOn, lived, remembering } from './erasure-fixture.ts';
import { processOn, timerless } from './jobs-fixture.ts';

const MINUTE = 60_000;
const CLAIM_MS = 10_000;

/** Bytes in memory. What is written from the nth file on waits until it is let go. */
function slowBytes(kept = new Map<string, Buffer>()) {
  let hold = Promise.withResolvers<void>();
  let waiting = Promise.withResolvers<void>();
  let isHeld = false;
  const bytes: MediaBytes = {
    async write(_tenantId, blob, source) {
      const parts: Uint8Array[] = [];
      for await (const part of source) parts.push(part);
      if (isHeld) {
        waiting.resolve();
        await hold.promise;
      }
      kept.set(blob, Buffer.concat(parts));
    },
    read: async () => null,
    remove: async (_tenantId, blob) => void kept.delete(blob),
    list: async () => [...kept.keys()],
    discard: async () => {},
  };
  return {
    bytes,
    kept,
    /** Resolves when somebody waits. */
    stop(): Promise<void> {
      hold = Promise.withResolvers();
      waiting = Promise.withResolvers();
      isHeld = true;
      return waiting.promise;
    },
    letGo(): void {
      isHeld = false;
      hold.resolve();
    },
  };
}

eachStore('an export that is being written when an erasure begins', (kind) => {
  async function aWorld(t: Parameters<typeof aGateway>[0]) {
    const receiver = await aReceiver(t);
    const remembered = remembering(kind);
    const gateway = await aGateway(t, { kind: remembered.kind, config: { egress_allow: [receiver.place] } });
    const { tenant } = await lived(gateway, receiver.url);
    const { store } = gateway;
    const slow = slowBytes();
    let now = gateway.clock.now();
    const names = [...remembered.opened.keys()];
    const { audit } = gateway.node.secrets;
    const { exporting } = processOn(
      store,
      names,
      audit,
      slow.bytes,
      timerless(() => now),
    );
    const { erasing, erasures } = erasingOn(store, names, audit, { removeExports: exporting.removeAll });
    await exporting.begin(tenant.id, null, now);
    const held = slow.stop();
    const writing = exporting.continueAll(now);
    await held;
    const { _id } = await erasing.begin(tenant.id, DORA, now);
    const isErased = async () => (await erasures.find(tenant.id, _id))?.open === false;
    const rest = async (): Promise<number> => {
      let rows = slow.kept.size;
      for (const name of ['privacy_exports', 'privacy_export_files'])
        rows += await store.collection<Doc>({ name, indexes: [] }).countDocuments({});
      return rows;
    };
    const later = (ms: number): number => {
      now += ms;
      return now;
    };
    return { slow, writing, exporting, erasing, erasures, tenant, isErased, rest, later };
  }

  it('delays the end of the erasure, and is then deleted', async (t) => {
    const { slow, writing, erasing, isErased, rest, later } = await aWorld(t);
    await erasing.continueAll(later(1));
    assert.equal(await isErased(), false, 'a copy of hers is still being written');
    slow.letGo();
    await writing;
    await erasing.continueAll(later(2));
    assert.equal(await isErased(), true);
    assert.equal(await rest(), 0);
  });

  it('is not delayed by another erasure whose process crashed before the erasure began', async (t) => {
    const { slow, writing, erasures, tenant } = await aWorld(t);
    slow.letGo();
    await writing;
    const [begun] = await Array.fromAsync(erasures.list(tenant.id, { limit: 1, before: null, beforeId: null }));
    assert.ok(begun);
    const open = await erasures.countOpen(tenant.id, 10);
    assert.ok(await erasures.prepare({ ...begun, _id: `${begun._id}x`, phone_hash: 'another', open: true, claimed_until: 0 }, 10));
    assert.equal(await erasures.countOpen(tenant.id, 10), open);
  });

  it("is deleted when its writer's claim expires, and again if the writer was merely slow", async (t) => {
    const { slow, writing, erasing, isErased, rest, later } = await aWorld(t);
    await erasing.continueAll(later(CLAIM_MS + 1));
    assert.equal(await isErased(), true, 'it waits for the dead for ever');
    assert.equal(await rest(), 0);
    slow.letGo();
    await writing;
    assert.equal(await rest(), 0, 'what was written too late');
  });
});

eachStore('an export that takes longer than its claim', (kind) => {
  async function aWorld(t: Parameters<typeof aGateway>[0]) {
    const remembered = remembering(kind);
    const gateway = await aGateway(t, { kind: remembered.kind });
    const tenant = await gateway.signUp();
    const names = [...remembered.opened.keys()];
    const kept = new Map<string, Buffer>();
    /** One whose clock shows that so much time has passed. */
    function node(passed = 0) {
      const { store, isBusy } = busyStore(gateway.store);
      const clock = new VirtualClock(gateway.clock.now() + passed);
      clock.waitWhile(isBusy, 'the store');
      const slow = slowBytes(kept);
      const { exporting } = processOn(store, names, gateway.node.secrets.audit, slow.bytes, clock);
      return { slow, clock, exporting, work: () => exporting.continueAll(clock.now()) };
    }
    const exports = exportsIn(gateway.store);
    const first = node();
    const { _id } = await first.exporting.begin(tenant.id, null, first.clock.now());
    const claimedUntil = async () => (await exports.find(tenant.id, _id))?.claimed_until;
    const isWhole = async (): Promise<void> => {
      assert.equal((await exports.find(tenant.id, _id))?.status, 'done');
      const blobs = (await exports.files(_id)).map(({ blob }) => blob);
      assert.deepEqual(blobs.sort(), [...kept.keys()].sort());
    };
    const held = first.slow.stop();
    const writing = first.work();
    await held;
    return { node, first, writing, kept, claimedUntil, isWhole };
  }

  it('is not taken over by another node while its own node is still working', async (t) => {
    const { node, first, writing, kept, isWhole } = await aWorld(t);
    await first.clock.advance(35 * MINUTE);
    await node(35 * MINUTE).work();
    assert.equal(kept.size, 0, 'another one began the same step again');
    first.slow.letGo();
    await writing;
    await isWhole();
  });

  it('is completed by the node that took it over, even if the first node resumes', async (t) => {
    const { node, first, writing, claimedUntil, isWhole } = await aWorld(t);
    const second = node(11 * MINUTE);
    const held = second.slow.stop();
    const goingOn = second.work();
    await held;
    const until = await claimedUntil();
    first.clock.jump(11 * MINUTE);
    await first.clock.advance(5 * MINUTE);
    assert.equal(await claimedUntil(), until, 'the first one has it again');
    first.slow.letGo();
    await writing;
    assert.equal(await claimedUntil(), until, 'the first one went on with it');
    second.slow.letGo();
    await goingOn;
    await isWhole();
  });
});
