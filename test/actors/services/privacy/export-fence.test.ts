import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { MediaBytes } from '../../../../store/media/media.ts';
import type { Doc } from '../../../../store/port.ts';
import { aGateway } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aReceiver } from '../webhooks/receiver.ts';
import { DORA, erasingOn, lived, remembering } from './erasure-fixture.ts';
import { processOn } from './jobs-fixture.ts';

const CLAIM_MS = 10 * 60_000;

/** Bytes in memory. What is written from the nth file on waits until it is let go. */
function slowBytes() {
  const kept = new Map<string, Buffer>();
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

eachStore('an export that is being written when somebody is erased', (kind) => {
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
    const { exporting } = processOn(store, names, audit, slow.bytes, () => now);
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

  it('is waited for and goes: the erasure is not over before', async (t) => {
    const { slow, writing, erasing, isErased, rest, later } = await aWorld(t);
    await erasing.continueAll(later(1));
    assert.equal(await isErased(), false, 'a copy of hers is still being written');
    slow.letGo();
    await writing;
    await erasing.continueAll(later(2));
    assert.equal(await isErased(), true);
    assert.equal(await rest(), 0);
  });

  it('is not held up by an erasure whose process died before it began', async (t) => {
    const { slow, writing, erasures, tenant } = await aWorld(t);
    slow.letGo();
    await writing;
    const [begun] = await erasures.list(tenant.id, { limit: 1, before: null, beforeId: null });
    assert.ok(begun);
    const open = await erasures.countOpen(tenant.id, 10);
    assert.ok(await erasures.prepare({ ...begun, _id: `${begun._id}x`, phone_hash: 'another', open: true, claimed_until: 0 }, 10));
    assert.equal(await erasures.countOpen(tenant.id, 10), open);
  });

  it('goes when the time of its writer is over, and again when that one was only slow', async (t) => {
    const { slow, writing, erasing, isErased, rest, later } = await aWorld(t);
    await erasing.continueAll(later(CLAIM_MS + 1));
    assert.equal(await isErased(), true, 'it waits for the dead for ever');
    assert.equal(await rest(), 0);
    slow.letGo();
    await writing;
    assert.equal(await rest(), 0, 'what was written too late');
  });
});
